// Keys, session credentials, stream-only tokens and who is asking.

import { z } from "zod";
import { limits } from "./limits.ts";

/** Prefixes tell people what they hold; the stored scope alone decides what it may do. */
export const credentialPrefix = {
  key: "vv_live_",
  token: "vv_tmp_",
  session: "vv_ses_",
} as const;
export type CredentialKind = keyof typeof credentialPrefix;

/** `full` may do everything, `tts` only stream. */
export const scopeSchema = z.enum(["full", "tts"]);
export type Scope = z.infer<typeof scopeSchema>;

/** A secret: its prefix and 32 random bytes in base62 (43 characters). */
export const secretPattern = /^vv_(?:live|tmp|ses)_[0-9A-Za-z]{43}$/;

/** `GET /auth/me`. */
export const meSchema = z.object({ email: z.string(), admin: z.boolean() });

export const keyRecordSchema = z.object({
  /** SHA-256 of the key, hex. */
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  last4: z.string(),
  created_at: z.int(),
  created_by: z.string(),
  revoked: z.boolean(),
  revoked_at: z.int().nullable(),
  revoked_by: z.string().nullable(),
});
export type KeyRecord = z.infer<typeof keyRecordSchema>;

export const keyListSchema = z.object({ keys: z.array(keyRecordSchema) });
export const keyCreateRequestSchema = z.strictObject({
  name: z.string().trim().min(1).max(limits.keyNameChars),
});
export const keyCreatedSchema = z.object({ key: keyRecordSchema.extend({ secret: z.string() }) });

/** `POST /auth/session/credential`. */
export const sessionCredentialSchema = z.object({
  credential: z.object({
    secret: z.string(),
    expires_at: z.int(),
    expires_in: z.int(),
    scope: scopeSchema,
  }),
});

/** `POST /v1/streaming.create_token`; `ttl` is an alias, both are clamped. */
export const createTokenRequestSchema = z.strictObject({
  ttl_seconds: z.number().optional(),
  ttl: z.number().optional(),
});
export const createTokenResponseSchema = z.object({
  data: z.object({ token: z.string(), expires_at: z.int(), scope: z.literal("tts") }),
});

/** `POST /auth/request-link`. A malformed address gets the same answer as a good one. */
export const requestLinkSchema = z.object({ email: z.string() });
export const requestLinkAnswerSchema = z.object({ ok: z.literal(true), message: z.string() });

/** `POST /auth/session/exchange`; `expires_at` is the portal session's. */
export const exchangeAnswerSchema = z.object({ ok: z.literal(true), email: z.string(), expires_at: z.int() });

/** `GET /dev/outbox`, on a local portal only; newest first. */
export const outboxSchema = z.object({
  mails: z.array(
    z.object({
      id: z.string(),
      to: z.string(),
      subject: z.string(),
      text: z.string(),
      link: z.string().nullable(),
      sent_at: z.int(),
    }),
  ),
});
