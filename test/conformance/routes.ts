// Every route of the portal: who may call it, one harmless request, and what that answers to whoever is let in.

import type { z } from "zod";
import * as consents from "../../contract/consents.ts";
import * as credentials from "../../contract/credentials.ts";
import * as fleet from "../../contract/fleet.ts";
import { portalHealthSchema } from "../../contract/health.ts";
import * as internalAvatars from "../../contract/internal/avatars.ts";
import * as internalBoxes from "../../contract/internal/boxes.ts";
import * as internalSettings from "../../contract/internal/settings.ts";
import * as internalVoices from "../../contract/internal/voices.ts";
import * as library from "../../contract/library.ts";
import * as models from "../../contract/models.ts";
import * as portraits from "../../contract/portraits.ts";
import * as open from "../../contract/public.ts";
import * as sessions from "../../contract/sessions.ts";
import * as settings from "../../contract/settings.ts";
import * as uploads from "../../contract/uploads.ts";
import * as voices from "../../contract/voices.ts";
import type { PolicyName } from "./policies.ts";

/** Things of the owner's that paths name. */
export interface Owned {
  avatar: string;
  session: string;
  portrait: string;
}

type Answer = { status: number; schema: z.ZodType } | { status: number; code: string };

export interface Route {
  method: string;
  /** As the OpenAPI document writes it. */
  template: string;
  policy: PolicyName;
  path?: (owned: Owned) => string;
  body?: unknown;
  /** What whoever is let in gets. */
  answer: Answer;
  /** What a caller who is let in gets of somebody else's resource; the same as of one that never existed. */
  foreign?: { status: number; code: string };
}

const ok = (status: number, schema: z.ZodType): Answer => ({ status, schema });
const no = (status: number, code: string) => ({ status, code });

const nobody = "nobody-has-this";
const zeros = "0".repeat(64);

export const routes: Route[] = [
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

  // The library.
  { method: "GET", template: "/auth/avatars", policy: "portal", answer: ok(200, library.libraryListSchema) },
  {
    method: "GET",
    template: "/auth/avatars/public",
    policy: "portal",
    answer: ok(200, library.publicListSchema),
  },
  { method: "GET", template: "/auth/avatars/tones", policy: "portal", answer: ok(200, open.toneListSchema) },
  {
    method: "GET",
    template: "/auth/avatars/publication-terms",
    policy: "portal",
    answer: ok(200, consents.publicationTermsSchema),
  },
  {
    method: "GET",
    template: "/auth/avatars/{id}/assets",
    policy: "portal",
    path: ({ avatar }) => `/auth/avatars/${avatar}/assets`,
    answer: ok(200, library.assetsSchema),
    foreign: no(404, "avatar_not_found"),
  },
  {
    method: "GET",
    template: "/auth/avatars/{id}/clips",
    policy: "portal or full key",
    path: ({ avatar }) => `/auth/avatars/${avatar}/clips`,
    answer: ok(200, library.portalClipListSchema),
    foreign: no(404, "unknown_avatar"),
  },
  {
    method: "GET",
    template: "/auth/avatars/{id}/clips/{tone}/video",
    policy: "portal or full key",
    path: ({ avatar }) => `/auth/avatars/${avatar}/clips/happy/video`,
    answer: ok(200, library.clipVideoSchema),
    foreign: no(404, "unknown_avatar"),
  },
  {
    method: "PUT",
    template: "/auth/avatars/{id}/visibility",
    policy: "portal",
    path: ({ avatar }) => `/auth/avatars/${avatar}/visibility`,
    body: { visibility: "private" },
    answer: ok(200, library.libraryAvatarAnswerSchema),
    foreign: no(404, "avatar_not_found"),
  },
  {
    method: "DELETE",
    template: "/auth/avatars/{id}",
    policy: "portal or full key",
    path: () => `/auth/avatars/${nobody}`,
    answer: no(404, "avatar_not_found"),
  },

  // Uploads, consents, portraits, stills.
  {
    method: "POST",
    template: "/auth/uploads",
    policy: "portal or full key",
    body: { files: [{ field: "file", filename: "a.png", content_type: "image/png", size: 10 }] },
    answer: ok(201, uploads.uploadGrantSchema),
  },
  {
    method: "GET",
    template: "/auth/consents",
    policy: "portal or full key",
    answer: ok(200, consents.consentListSchema),
  },
  {
    method: "POST",
    template: "/auth/consents",
    policy: "portal or full key",
    body: { sha256: zeros, source_kind: "photo", attested: true },
    answer: ok(201, consents.consentCreatedSchema),
  },
  {
    method: "POST",
    template: "/auth/publication-consents",
    policy: "portal",
    body: { avatar_id: nobody, terms_version: "none" },
    answer: no(409, "terms_outdated"),
  },
  {
    method: "DELETE",
    template: "/auth/publication-consents/{avatar_id}",
    policy: "portal",
    path: () => `/auth/publication-consents/${nobody}`,
    answer: no(404, "publication_consent_not_found"),
  },
  {
    method: "POST",
    template: "/auth/portraits",
    policy: "portal",
    body: { persona: "" },
    answer: no(400, "invalid_body"),
  },
  {
    method: "GET",
    template: "/auth/portraits/{id}",
    policy: "portal",
    path: ({ portrait }) => `/auth/portraits/${portrait}`,
    answer: ok(200, portraits.portraitSchema),
    foreign: no(404, "unknown_portrait"),
  },
  {
    method: "POST",
    template: "/auth/portraits/{id}/approve",
    policy: "portal",
    path: ({ portrait }) => `/auth/portraits/${portrait}/approve`,
    body: { sha256: zeros },
    answer: no(409, "portrait_changed"),
    foreign: no(404, "unknown_portrait"),
  },
  {
    method: "POST",
    template: "/auth/portraits/{id}/regenerate",
    policy: "portal",
    path: () => `/auth/portraits/${nobody}/regenerate`,
    answer: no(404, "unknown_portrait"),
  },
  {
    method: "POST",
    template: "/auth/seated-still",
    policy: "portal or full key",
    body: { upload_id: nobody },
    answer: no(404, "unknown_upload"),
  },
  {
    method: "GET",
    template: "/auth/seated-still/{jobId}",
    policy: "portal or full key",
    path: () => `/auth/seated-still/${nobody}`,
    answer: no(404, "unknown_job"),
  },

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

  // What only boxes call.
  {
    method: "POST",
    template: "/internal/heartbeat",
    policy: "box",
    body: {
      public_url: "http://127.0.0.1:9",
      region: "au",
      state: "draining",
      session: null,
      room: null,
      capacity: 1,
      avatars_warm: [],
      build: { known: false, short_commit: "" },
      uptime_s: 1,
      revocations_seen: 0,
    },
    answer: ok(200, internalBoxes.heartbeatAnswerSchema),
  },
  {
    method: "POST",
    template: "/internal/credentials/lookup",
    policy: "box",
    body: { digest: zeros },
    answer: ok(200, internalBoxes.lookupAnswerSchema),
  },
  {
    method: "POST",
    template: "/internal/settings/read",
    policy: "box",
    body: { account: "owner@example.com" },
    answer: ok(200, internalSettings.internalSettingsReadSchema),
  },
  {
    method: "POST",
    template: "/internal/settings/save",
    policy: "box",
    body: { account: "owner@example.com", patch: { persona: "?" } },
    answer: no(400, "setting_refused"),
  },
  {
    method: "POST",
    template: "/internal/erasures/pending",
    policy: "box",
    body: { weights_volume: "v" },
    answer: ok(200, internalAvatars.erasuresAnswerSchema),
  },
  {
    method: "POST",
    template: "/internal/uploads/claim",
    policy: "box",
    body: { account: "owner@example.com", upload_id: nobody },
    answer: no(404, "unknown_upload"),
  },
  {
    method: "POST",
    template: "/internal/consents/check",
    policy: "box",
    body: { account: "owner@example.com", consent_token: nobody, sha256: zeros },
    answer: ok(200, internalAvatars.consentCheckAnswerSchema),
  },
  {
    method: "POST",
    template: "/internal/voices/account",
    policy: "box",
    body: { account: "owner@example.com" },
    answer: ok(200, internalVoices.voiceAccountSchema),
  },
  ...[
    "avatars/report",
    "avatars/media",
    "avatars/media/done",
    "avatars/clips",
    "erasures/done",
    "sessions/report",
    "sessions/transcript",
    "sessions/recording",
    "sessions/recording/done",
    "usage",
    "voices/builtin",
  ].map((path): Route => ({
    method: "POST",
    template: `/internal/${path}`,
    policy: "box",
    body: { nonsense: true },
    answer: no(400, "invalid_body"),
  })),

  {
    method: "PUT",
    template: "/internal/voices/builtin/{voice}/sample",
    policy: "box",
    path: () => "/internal/voices/builtin/en/sample",
    answer: no(400, "invalid_body"),
  },

  // The front door, with no box behind it.
  ...[
    ["POST", "/connect"],
    ["GET", "/connect"],
    ["POST", "/disconnect"],
    ["GET", "/api/chat/status"],
    ["POST", "/api/chat"],
    ["POST", "/api/chat/reset"],
    ["POST", "/api/talk"],
    ["POST", "/api/interrupt"],
    ["GET", "/api/avatars"],
    ["GET", "/api/avatar/preview"],
    ["GET", "/api/settings"],
  ].map(([method = "", template = ""]): Route => ({
    method,
    template,
    policy: "front door",
    answer: no(503, "box_unavailable"),
  })),
  ...[
    ["POST", "/api/avatar"],
    ["POST", "/api/settings"],
    ["GET", "/api/stats"],
  ].map(([method = "", template = ""]): Route => ({
    method,
    template,
    policy: "front door, full",
    answer: no(503, "box_unavailable"),
  })),
];
