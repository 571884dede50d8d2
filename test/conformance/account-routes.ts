// Status, sign-in, keys, settings and models.

import * as credentials from "../../contract/credentials.ts";
import { portalHealthSchema } from "../../contract/health.ts";
import * as models from "../../contract/models.ts";
import * as open from "../../contract/public.ts";
import * as settings from "../../contract/settings.ts";
import { no, ok, zeros, type Route } from "./route.ts";

export const accountRoutes: Route[] = [
  // Status and pages.
  { method: "GET", template: "/health", policy: "public", answer: ok(200, portalHealthSchema) },
  { method: "GET", template: "/v1/public/status", policy: "any", answer: ok(200, open.publicStatusSchema) },
  { method: "GET", template: "/v1/public/tones", policy: "any", answer: ok(200, open.toneListSchema) },
  { method: "GET", template: "/v1/public/models", policy: "any", answer: ok(200, open.modelListSchema) },

  // Sign-in.
  {
    method: "POST",
    template: "/auth/request-link",
    policy: "public",
    body: { email: "not an address" },
    answer: ok(200, credentials.requestLinkAnswerSchema),
  },
  { method: "GET", template: "/auth/me", policy: "portal", answer: ok(200, credentials.meSchema) },
  {
    method: "POST",
    template: "/auth/session/exchange",
    policy: "identity",
    answer: ok(200, credentials.exchangeAnswerSchema),
  },

  // Keys and credentials.
  { method: "GET", template: "/auth/keys", policy: "portal", answer: ok(200, credentials.keyListSchema) },
  {
    method: "POST",
    template: "/auth/keys",
    policy: "portal",
    body: { name: " " },
    answer: no(400, "invalid_name"),
  },
  {
    method: "DELETE",
    template: "/auth/keys/{id}",
    policy: "portal",
    path: () => `/auth/keys/${zeros}`,
    answer: no(404, "key_not_found"),
  },
  {
    method: "POST",
    template: "/auth/session/credential",
    policy: "portal",
    answer: ok(201, credentials.sessionCredentialSchema),
  },
  {
    method: "POST",
    template: "/v1/streaming.create_token",
    policy: "full key",
    body: { ttl_seconds: 1 },
    answer: ok(200, credentials.createTokenResponseSchema),
  },

  // Settings and models.
  {
    method: "GET",
    template: "/auth/settings",
    policy: "portal or full key",
    answer: ok(200, settings.settingsReadSchema),
  },
  {
    method: "POST",
    template: "/auth/settings",
    policy: "portal or full key",
    body: { persona: "?" },
    answer: no(400, "setting_refused"),
  },
  {
    method: "POST",
    template: "/auth/models/{id}/warm",
    policy: "portal or full key",
    path: () => "/auth/models/rehearsal/warm",
    answer: ok(200, models.modelStatusSchema),
  },
  {
    method: "GET",
    template: "/auth/models/{id}/status",
    policy: "portal or full key",
    path: () => "/auth/models/rehearsal/status",
    answer: ok(200, models.modelStatusSchema),
  },
];
