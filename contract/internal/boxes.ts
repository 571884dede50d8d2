// Signs of life and credentials: what a box says and asks of itself (`/internal/*`), under its own bearer secret.

import { z } from "zod";
import { scopeSchema } from "../credentials.ts";
import { boxStateSchema } from "../health.ts";
import { sessionKindSchema } from "../live.ts";

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
