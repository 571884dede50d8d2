// The microphone WebSocket (`/api/voice/ws`): PCM in, a conversation's events out.

import { z } from "zod";
import { limits } from "./limits.ts";
import { languageSchema, toneSchema } from "./tones.ts";

export const microphoneSocketPath = "/api/voice/ws";

/** Binary frames are mono PCM, signed 16-bit little endian, at this rate in hertz. */
export const microphoneSampleRate = 16_000;

/** Client to server, as text. Unknown types are ignored; unknown fields of a known type are refused. */
export const microphoneMessageSchemas = {
  /**
   * What the next turns speak with; an empty voice takes the wish back, and one that the engine does not have is
   * answered with an `error` and changes nothing. The live face stays whoever went live: `avatar` does not change it.
   */
  config: z.strictObject({
    type: z.literal("config"),
    avatar: z.string().max(200).optional(),
    voice: z.string().max(200).optional(),
  }),
  mute: z.strictObject({ type: z.literal("mute"), muted: z.boolean() }),
  auth: z.strictObject({ type: z.literal("auth"), token: z.string().max(1000) }),
  bye: z.strictObject({ type: z.literal("bye") }),
  resume: z.strictObject({ type: z.literal("resume") }),
} as const;

export type MicrophoneMessageType = keyof typeof microphoneMessageSchemas;
export type MicrophoneMessage = {
  [Type in MicrophoneMessageType]: z.infer<(typeof microphoneMessageSchemas)[Type]>;
}[MicrophoneMessageType];

/** Modes in which the provider hears turns by itself: `partial`, `caption_clear`, pause and language frames are not sent. */
export const conversationModeSchema = z.enum(["openai_realtime", "openai_live"]);
export type ConversationMode = z.infer<typeof conversationModeSchema>;

/** Server to client. `reply_chunk` and `tool` are the objects of the NDJSON chat stream. */
export const microphoneEventSchema = z.union([
  z.strictObject({
    type: z.literal("ready"),
    sample_rate: z.literal(microphoneSampleRate),
    voice_origin: z.enum(["box", "user"]),
    mode: conversationModeSchema.optional(),
  }),
  z.strictObject({ type: z.literal("partial"), text: z.string() }),
  /** `eot`: how likely the speaker is done, 0..1. `wait_ms`: silence that would settle the turn. */
  z.strictObject({
    type: z.literal("endpoint"),
    eot: z.number().min(0).max(1),
    wait_ms: z.int(),
    reason: z.string(),
  }),
  z.strictObject({ type: z.literal("final"), text: z.string(), continues: z.boolean() }),
  z.strictObject({ type: z.literal("caption_clear") }),
  z.strictObject({ type: z.literal("state"), thinking: z.boolean() }),
  z.strictObject({ type: z.literal("state"), speaking: z.literal(false), bargein: z.literal(true) }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), label: z.string() }),
  z.strictObject({
    type: z.literal("action"),
    name: z.enum(["end_call", "skip_turn"]),
    label: z.string(),
  }),
  z.strictObject({
    type: z.literal("action"),
    name: z.literal("pause_conversation"),
    label: z.string(),
    paused: z.boolean(),
  }),
  z.strictObject({
    type: z.literal("action"),
    name: z.literal("set_language"),
    label: z.string(),
    language: languageSchema,
  }),
  z.strictObject({ type: z.literal("reply_chunk"), text: z.string(), tone: toneSchema }),
  /** From the end of the speaker's last word, as the ears report it, to the reply's first audio. */
  z.strictObject({ type: z.literal("metric"), first_audio_ms: z.number(), spec: z.boolean() }),
  z.strictObject({
    type: z.literal("reply"),
    reply: z.string(),
    tone: toneSchema,
    avatar: z.string(),
  }),
  z.strictObject({ type: z.literal("reply_error"), error: z.string() }),
  z.strictObject({ type: z.literal("session_end"), reason: z.literal("ended_by_persona_request") }),
  z.strictObject({ type: z.literal("voice_notice"), notice: z.string() }),
  z.strictObject({ type: z.literal("auth_required"), message: z.string() }),
  z.strictObject({ type: z.literal("auth_state"), live: z.boolean() }),
  z.strictObject({
    type: z.literal("error"),
    error: z.string(),
    fatal: z.boolean().optional(),
    code: z.int().optional(),
    error_code: z.string().optional(),
  }),
]);
export type MicrophoneEvent = z.infer<typeof microphoneEventSchema>;
export type MicrophoneEventType = MicrophoneEvent["type"];

/** Close codes of the microphone socket; an `error` event with the same sentence and code goes first. */
export const microphoneCloseCode = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  tooLarge: 1009,
  /** No speech recognition is configured. */
  noRecognition: 4001,
  /** No live session yet. */
  noSession: 4002,
  /** Another socket holds the slot. */
  slotTaken: 4003,
  credentialRevoked: 4004,
  /** Speech recognition would not start. */
  recognitionFailed: 4005,
  /** The box could not set the session up. */
  setUpFailed: 4006,
  idle: 4007,
  maxLength: 4008,
} as const;

/**
 * What a client may send: bytes a frame, seconds of audio a second on average and at once, and messages a second. However
 * short a binary frame is, it counts as `leastFrameSeconds`.
 */
export const microphoneLimits = {
  frameBytes: limits.microphoneFrameBytes,
  audioRate: 2,
  burstSeconds: 10,
  leastFrameSeconds: 0.002,
  messagesPerSecond: 50,
} as const;
