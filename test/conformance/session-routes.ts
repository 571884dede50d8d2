// Session history, voices and the fleet.

import * as consents from "../../contract/consents.ts";
import * as fleet from "../../contract/fleet.ts";
import * as sessions from "../../contract/sessions.ts";
import * as voices from "../../contract/voices.ts";
import { no, nobody, ok, type Route } from "./route.ts";

export const sessionRoutes: Route[] = [
  // Session history.
  {
    method: "GET",
    template: "/auth/sessions",
    policy: "portal",
    answer: ok(200, sessions.sessionPageSchema),
  },
  {
    method: "GET",
    template: "/auth/sessions/{id}",
    policy: "portal",
    path: ({ session }) => `/auth/sessions/${session}`,
    answer: ok(200, sessions.sessionDetailSchema),
    foreign: no(404, "session_not_found"),
  },
  {
    method: "PATCH",
    template: "/auth/sessions/{id}",
    policy: "portal",
    path: ({ session }) => `/auth/sessions/${session}`,
    body: { starred: true },
    answer: ok(200, sessions.sessionAnswerSchema),
    foreign: no(404, "session_not_found"),
  },
  {
    method: "DELETE",
    template: "/auth/sessions/{id}",
    policy: "portal",
    path: () => `/auth/sessions/${nobody}`,
    answer: no(404, "session_not_found"),
  },
  {
    method: "GET",
    template: "/auth/recordings/terms",
    policy: "public",
    answer: ok(200, consents.recordingTermsSchema),
  },

  // Voices.
  {
    method: "GET",
    template: "/auth/voice/settings",
    policy: "portal",
    answer: ok(200, voices.voiceSettingsSchema),
  },
  {
    method: "PUT",
    template: "/auth/voice/key",
    policy: "portal",
    body: { provider: "espeak", key: "12345678" },
    answer: no(400, "invalid_body"),
  },
  {
    method: "DELETE",
    template: "/auth/voice/key/{provider}",
    policy: "portal",
    path: () => "/auth/voice/key/cartesia",
    answer: ok(200, voices.voiceSettingsSchema),
  },
  {
    method: "PUT",
    template: "/auth/voice/engine",
    policy: "portal",
    body: { engine: "elevenlabs" },
    answer: no(409, "voice_key_required"),
  },
  {
    method: "PUT",
    template: "/auth/voice/default",
    policy: "portal",
    body: { engine: "cartesia", voice_id: "v", display_name: "V" },
    answer: no(409, "voice_key_required"),
  },
  {
    method: "DELETE",
    template: "/auth/voice/default",
    policy: "portal",
    answer: ok(200, voices.voiceSettingsSchema),
  },
  {
    method: "GET",
    template: "/auth/voices",
    policy: "portal or full key",
    answer: ok(200, voices.voiceCatalogueSchema),
  },
  {
    method: "GET",
    template: "/auth/voices/preview",
    policy: "portal or full key",
    path: () => "/auth/voices/preview?provider=local&voice=nobody",
    answer: no(404, "unknown_voice"),
  },
  {
    method: "POST",
    template: "/auth/voices/preview",
    policy: "portal or full key",
    body: { text: " " },
    answer: no(400, "preview_text_empty"),
  },

  // The fleet.
  { method: "GET", template: "/auth/admin/fleet", policy: "admin", answer: ok(200, fleet.fleetSchema) },
  {
    method: "POST",
    template: "/auth/admin/boxes",
    policy: "admin",
    body: { region: "au" },
    answer: no(503, "lifecycle_unavailable"),
  },
  ...["drain", "undrain", "stop"].map((verb): Route => ({
    method: "POST",
    template: `/auth/admin/boxes/{id}/${verb}`,
    policy: "admin",
    path: () => `/auth/admin/boxes/${nobody}/${verb}`,
    answer: no(404, "unknown_box"),
  })),
];
