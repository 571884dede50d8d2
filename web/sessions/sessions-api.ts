// The portal's routes for session history, as the pages of this folder call them.

import type { z } from "zod";
import {
  sessionAnswerSchema,
  type SessionDetail,
  sessionDetailSchema,
  sessionErasureSchema,
  type SessionPage,
  sessionPageSchema,
  type SessionPatch,
  type SessionRow,
} from "../../contract/sessions.ts";
import { requestPortal } from "../portal/request.ts";

export type SessionErasure = z.infer<typeof sessionErasureSchema>;

/** Every method rejects with `VisavisError`. */
export interface SessionsApi {
  page(cursor: string | null): Promise<SessionPage>;
  detail(id: string): Promise<SessionDetail>;
  edit(id: string, patch: SessionPatch): Promise<SessionRow>;
  erase(id: string): Promise<SessionErasure>;
}

const pathOf = (id: string): string => `/auth/sessions/${encodeURIComponent(id)}`;

/** The routes of the portal the page came from. */
export const sessionsApi: SessionsApi = {
  page: (cursor) => {
    const query = cursor === null ? "" : `?${new URLSearchParams({ cursor })}`;
    return requestPortal(`/auth/sessions${query}`, sessionPageSchema);
  },
  detail: (id) => requestPortal(pathOf(id), sessionDetailSchema),
  edit: async (id, patch) =>
    (await requestPortal(pathOf(id), sessionAnswerSchema, { method: "PATCH", json: patch })).session,
  erase: (id) => requestPortal(pathOf(id), sessionErasureSchema, { method: "DELETE" }),
};
