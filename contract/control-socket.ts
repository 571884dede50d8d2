// The control WebSocket (`/api/session/ws`): the one surface in camelCase.

import { z } from "zod";
import { limits } from "./limits.ts";
import { toneSchema } from "./tones.ts";

export const controlSocketPath = "/api/session/ws";

const text = z.string().max(limits.messageChars);
const correlationId = z.string().min(1).max(200).optional();
const voice = z.string().max(200).optional();

/** Client to server. Unknown types are ignored; unknown fields of a known type are refused. */
export const clientMessageSchemas = {
  message: z.strictObject({
    type: z.literal("message"),
    content: text,
    avatar: z.string().max(200).optional(),
    voice,
    correlationId,
  }),
  talk: z.strictObject({
    type: z.literal("talk"),
    content: text,
    voice,
    tone: toneSchema.optional(),
    correlationId,
  }),
  talkstream: z.strictObject({
    type: z.literal("talkstream"),
    content: text,
    startOfSpeech: z.boolean(),
    endOfSpeech: z.boolean(),
    voice,
    tone: toneSchema.optional(),
    correlationId,
  }),
  interrupt: z.strictObject({ type: z.literal("interrupt") }),
  auth: z.strictObject({ type: z.literal("auth"), token: z.string().max(1000) }),
  heartbeat: z.strictObject({ type: z.literal("heartbeat") }),
  tool_result: z.strictObject({ type: z.literal("tool_result"), id: z.string(), result: z.unknown() }),
} as const;

export type ClientMessageType = keyof typeof clientMessageSchemas;
export type ClientMessage = {
  [Type in ClientMessageType]: z.infer<(typeof clientMessageSchemas)[Type]>;
}[ClientMessageType];

/** Reply roles, as Anam names them. */
export const roleSchema = z.enum(["user", "persona"]);

const sharedCorrelationId = z.string().nullable();

/** Server to client. */
export const serverEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session_ready"),
    sessionId: z.string().nullable(),
    avatar: z.string(),
    tones: z.array(toneSchema),
  }),
  z.object({
    type: z.literal("user_message"),
    id: z.string(),
    role: z.literal("user"),
    content: z.string(),
    correlationId: sharedCorrelationId,
  }),
  /**
   * One clause. `endOfSpeech` is true once a reply with words: on its last clause, or, when only its end showed that nothing
   * more is to be said, on one more event just before `message`, with no `content`.
   */
  z.object({
    type: z.literal("message_stream"),
    id: z.string(),
    role: z.literal("persona"),
    content: z.string(),
    contentIndex: z.int(),
    endOfSpeech: z.boolean(),
    tone: toneSchema,
    correlationId: sharedCorrelationId,
  }),
  /** `content` is empty when the persona acted and said nothing: it closes that turn too. */
  z.object({
    type: z.literal("message"),
    id: z.string(),
    role: z.literal("persona"),
    content: z.string(),
    tone: toneSchema,
    avatar: z.string(),
    correlationId: sharedCorrelationId,
  }),
  z.object({ type: z.literal("avatar_speech_started"), correlationId: sharedCorrelationId }),
  z.object({ type: z.literal("avatar_speech_ended"), correlationId: sharedCorrelationId }),
  z.object({ type: z.literal("interrupted") }),
  z.object({ type: z.literal("warning"), message: z.string() }),
  z.object({ type: z.literal("auth_required"), message: z.string() }),
  z.object({ type: z.literal("auth_state"), live: z.boolean() }),
  z.object({ type: z.literal("error"), error: z.string(), fatal: z.boolean() }),
  z.object({
    type: z.literal("session_expired"),
    reason: z.enum(["idle", "max_length"]),
    message: z.string(),
    seconds: z.number(),
    code: z.int(),
  }),
  /** The persona has said goodbye and the session is over; the socket goes on, for the next one. */
  z.object({ type: z.literal("session_end"), reason: z.literal("ended_by_persona_request") }),
  z.object({
    type: z.literal("metric"),
    correlationId: sharedCorrelationId,
    llm_ms: z.number(),
    tts_ms: z.number(),
    first_audio_ms: z.number(),
    first_frame_ms: z.number(),
  }),
  /** `arguments` are as the model wrote them: no moderation screen sees them. */
  z.object({
    type: z.literal("tool_call"),
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
    correlationId: sharedCorrelationId,
  }),
]);
export type ServerEvent = z.infer<typeof serverEventSchema>;
export type ServerEventType = ServerEvent["type"];

/** Close codes of the control socket. 4004, 4007 and 4008 mean the same on the microphone socket. */
export const closeCode = {
  /** Ordinary end. */
  normal: 1000,
  /** A binary frame: the socket speaks JSON text only. */
  unsupported: 1003,
  /** Text that is no JSON object, or messages faster than the limit. */
  policy: 1008,
  tooLarge: 1009,
  credentialRevoked: 4004,
  idle: 4007,
  maxLength: 4008,
} as const;
