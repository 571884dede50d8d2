// Chat over HTTP: readiness, one turn as JSON or NDJSON, and the small commands beside it.

import { z } from "zod";
import { limits } from "./limits.ts";
import { toneSchema } from "./tones.ts";

const text = z.string().max(limits.messageChars);

/** `GET /api/chat/status`. */
export const chatStatusSchema = z.object({
  ready: z.boolean(),
  llm: z.boolean(),
  tts: z.boolean(),
  voice: z.boolean(),
  transcribe: z.boolean(),
  voice_origin: z.enum(["byo", "box", "user"]),
  voice_provider: z.string(),
  llm_state: z.string(),
  tts_state: z.string(),
  llm_detail: z.string(),
  tts_detail: z.string(),
  starting: z.boolean(),
  voice_notice: z.string(),
  reason: z.string(),
});
export type ChatStatus = z.infer<typeof chatStatusSchema>;

/**
 * `POST /api/chat`. A blank message is refused by the handler, in its own words. `avatar` says whose voice and face a
 * recorded reply has; with a live session the live face speaks, whoever is named. An unknown avatar is refused either way.
 */
export const chatRequestSchema = z.strictObject({
  message: text,
  voice: z.string().max(200).optional(),
  voice_provider: z.string().max(64).optional(),
  avatar: z.string().max(200).optional(),
  stream: z.unknown().optional(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** A reply that went into a live session. `reply` is empty when the persona acted and said nothing, as `skip_turn` does. */
export const liveReplySchema = z.object({
  reply: z.string(),
  tone: toneSchema,
  avatar: z.string(),
  tools: z.array(z.string()),
  streamed: z.literal(true),
  identity: z.string(),
  tones: z.array(toneSchema),
  voice_notice: z.string(),
});
export type LiveReply = z.infer<typeof liveReplySchema>;

/** A reply with no live session: the words and the name of their recording; both empty when the persona kept quiet. */
export const recordedReplySchema = z.object({
  reply: z.string(),
  tone: toneSchema,
  audio: z.string(),
  identity: z.string(),
  tones: z.array(toneSchema),
  voice_notice: z.string(),
});
export type RecordedReply = z.infer<typeof recordedReplySchema>;

/** One line of the NDJSON stream. The closing `reply` is authoritative over the clauses. */
export const chatFrameSchema = z.union([
  z.object({ type: z.literal("reply_chunk"), text: z.string(), tone: toneSchema }),
  z.object({ type: z.literal("tool"), name: z.string(), label: z.string() }),
  z.object({ type: z.literal("reply"), ...liveReplySchema.shape }),
  z.object({ type: z.literal("reply"), ...recordedReplySchema.shape }),
  z.object({ type: z.literal("error"), error: z.string(), interrupted: z.boolean().optional() }),
]);
export type ChatFrame = z.infer<typeof chatFrameSchema>;

/** `POST /api/talk`; `content` is an alias of `text`. */
export const talkRequestSchema = z.strictObject({
  text: text.optional(),
  content: text.optional(),
  voice: z.string().max(200).optional(),
  tone: toneSchema.optional(),
});
export const talkAnswerSchema = z.object({ ok: z.literal(true), spoken: z.string() });

/** `POST /api/interrupt` and `POST /disconnect`. */
export const okSchema = z.object({ ok: z.literal(true) });

/** `POST /api/chat/reset`. */
export const chatResetSchema = z.object({
  ok: z.literal(true),
  data: z.object({ conversation_id: z.string().nullable() }),
});
