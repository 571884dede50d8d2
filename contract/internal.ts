// What only boxes say to the portal (`/internal/*`), each under its own bearer secret.

import { z } from "zod";
import { avatarStateSchema } from "./avatars.ts";
import { scopeSchema } from "./credentials.ts";
import { boxStateSchema } from "./health.ts";
import { endReasonSchema, sessionKindSchema } from "./live.ts";
import { settingsPatchSchema, settingsReadSchema } from "./settings.ts";

/** `POST /internal/heartbeat`, every 15 s and at once when the live session changes. The box id is the bearer's. */
export const heartbeatSchema = z.strictObject({
  /** Where the portal's front door reaches this box. */
  public_url: z.url({ protocol: /^https?$/ }),
  region: z.string(),
  state: boxStateSchema,
  /** The live session, which keeps its account's lease alive. */
  session: z
    .strictObject({ session_id: z.string(), account: z.string(), kind: sessionKindSchema })
    .nullable(),
  room: z.string().nullable(),
  capacity: z.int(),
  avatars_warm: z.array(z.string()),
  build: z.strictObject({ known: z.boolean(), short_commit: z.string() }),
  uptime_s: z.number(),
  /** Highest revocation number this box has been told of. */
  revocations_seen: z.int(),
});
export type Heartbeat = z.infer<typeof heartbeatSchema>;

export const heartbeatAnswerSchema = z.object({
  drain: z.boolean(),
  /** Digests of credentials revoked since `revocations_seen`. */
  revoked: z.array(z.string()),
  revocations_seen: z.int(),
});
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswerSchema>;

/** `POST /internal/credentials/lookup`: who a secret's SHA-256 digest belongs to; null for unknown, revoked and expired. */
export const lookupRequestSchema = z.strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/) });
export const lookupAnswerSchema = z.object({
  credential: z
    .object({
      digest: z.string(),
      kind: z.enum(["key", "token", "session"]),
      scope: scopeSchema,
      account: z.string(),
      expires_at: z.int().nullable(),
    })
    .nullable(),
});
export type LookupAnswer = z.infer<typeof lookupAnswerSchema>;

/** `POST /internal/settings/read`: the account's settings as `GET /auth/settings` would answer them. */
export const settingsReadRequestSchema = z.strictObject({ account: z.string() });
export const internalSettingsReadSchema = settingsReadSchema;

/** `POST /internal/settings/save`: the box's `POST /api/settings`. */
export const settingsSaveRequestSchema = z.strictObject({
  account: z.string(),
  patch: settingsPatchSchema,
});

/** `POST /internal/avatars/report`: what a box observed of an avatar; makes or moves its library record. */
export const avatarReportSchema = z.strictObject({
  account: z.string(),
  avatar_id: z.string(),
  /** Null when nobody named it. */
  name: z.string().nullable(),
  source_kind: z.enum(["photo", "image", "video", "unknown"]),
  state: avatarStateSchema,
  detail: z.string(),
  region: z.string(),
  weights_volume: z.string(),
});
export type AvatarReport = z.infer<typeof avatarReportSchema>;

/** `POST /internal/sessions/report`: a live session began or ended. */
export const sessionReportSchema = z.strictObject({
  session_id: z.string(),
  account: z.string(),
  kind: sessionKindSchema,
  avatar_id: z.string(),
  started_at: z.int(),
  ended_at: z.int().nullable(),
  end_reason: endReasonSchema.nullable(),
  turns: z.int(),
});
export type SessionReport = z.infer<typeof sessionReportSchema>;

/** Answer to an avatar report. `registry_note` says why an avatar is not in the library; it is empty when it is. */
export const avatarReportAnswerSchema = z.object({ ok: z.literal(true), registry_note: z.string() });

/** Answer to a session report. */
export const sessionReportAnswerSchema = z.object({ ok: z.literal(true) });
