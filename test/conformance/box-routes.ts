// What only boxes call, and what the front door hands to them.

import * as internalAvatars from "../../contract/internal/avatars.ts";
import * as internalBoxes from "../../contract/internal/boxes.ts";
import * as internalSettings from "../../contract/internal/settings.ts";
import * as internalVoices from "../../contract/internal/voices.ts";
import { no, nobody, ok, zeros, type Route } from "./route.ts";

export const boxRoutes: Route[] = [
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
    ["POST", "/offer"],
    ["GET", "/api/audios"],
    ["GET", "/api/avatar/clip"],
    ["GET", "/api/avatar/clips"],
    ["POST", "/api/avatar/clips/retry"],
    ["POST", "/api/avatar/seated-still"],
    ["GET", "/api/avatar/seated-still/{job_id}"],
    ["GET", "/api/avatar/seated-still/{job_id}/image"],
    ["GET", "/api/models/{id}/status"],
    ["POST", "/api/models/{id}/warm"],
    ["GET", "/api/videos"],
    ["GET", "/api/voices"],
    ["GET", "/api/voice/preview"],
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
    ["POST", "/api/avatar/delete"],
    ["POST", "/api/upload"],
    ["POST", "/api/voice/prepare"],
    ["POST", "/api/voice/preview"],
    ["POST", "/api/voice/upload"],
    ["POST", "/v1/photo_avatar.create"],
  ].map(([method = "", template = ""]): Route => ({
    method,
    template,
    policy: "front door, full",
    answer: no(503, "box_unavailable"),
  })),
];
