// Settings and models, kept for older clients; the portal's own routes are always on.

import { modelStatusSchema } from "../models.ts";
import { settingsPatchSchema, settingsReadSchema, settingsSavedSchema } from "../settings.ts";
import { json, type BoxRoute } from "./route.ts";

export const settingsRoutes: BoxRoute[] = [
  {
    method: "get",
    path: "/api/settings",
    summary: "The caller's settings; kept for older clients, see /auth/settings",
    status: 200,
    answer: json(settingsReadSchema),
    envelope: "structured",
    failures: [503],
  },
  {
    method: "post",
    path: "/api/settings",
    summary: "Save settings; kept for older clients, see /auth/settings",
    body: json(settingsPatchSchema),
    status: 200,
    answer: json(settingsSavedSchema),
    envelope: "structured",
    failures: [400, 413, 503],
  },
  {
    method: "post",
    path: "/api/models/{id}/warm",
    summary: "Switch a model on, as this box sees it; see `/auth/models/{id}/warm`",
    status: 200,
    answer: json(modelStatusSchema),
    envelope: "structured",
    failures: [404, 503],
  },
  {
    method: "get",
    path: "/api/models/{id}/status",
    summary: "Whether a model answers, as this box last saw it; see `/auth/models/{id}/status`",
    status: 200,
    answer: json(modelStatusSchema),
    envelope: "structured",
    failures: [404, 503],
  },
];
