// Opening and watching the one live session of a box.

import { z } from "zod";
import { limits } from "./limits.ts";
import { toneSchema } from "./tones.ts";

export const iceServerSchema = z.object({
  urls: z.union([z.string(), z.array(z.string())]),
  username: z.string().optional(),
  credential: z.string().optional(),
});
export type IceServer = z.infer<typeof iceServerSchema>;

/** What opened a session. */
export const sessionKindSchema = z.enum(["studio", "api", "room"]);
export type SessionKind = z.infer<typeof sessionKindSchema>;

/** Why a session ended. */
export const endReasonSchema = z.enum([
  "disconnected",
  "replaced",
  "idle",
  "max_length",
  "persona",
  "box_shutdown",
  "lost",
]);
export type EndReason = z.infer<typeof endReasonSchema>;

/** `POST /connect` with JSON. */
export const connectRequestSchema = z.strictObject({
  sdp: z.string().min(1).max(limits.sdpBytes),
  type: z.literal("offer"),
  avatar: z.string().max(200).optional(),
  voice: z.string().max(200).optional(),
  voice_provider: z.string().max(64).optional(),
  kind: z.enum(["studio", "api"]).optional(),
  max_session_length_seconds: z.number().min(0).optional(),
  recording: z.strictObject({ terms_version: z.string(), terms_digest: z.string() }).optional(),
});
export type ConnectRequest = z.infer<typeof connectRequestSchema>;

/** `POST /offer`: opens a session as `/connect` does, and speaks a sound file of the caller's. */
export const offerRequestSchema = connectRequestSchema.extend({ audio: z.string().min(1).max(100) });

export const connectAnswerSchema = z.object({
  sdp: z.string(),
  type: z.literal("answer"),
  session_id: z.string(),
  avatar: z.string(),
  tones: z.array(toneSchema),
  ice_servers: z.array(iceServerSchema),
  limits: z.object({ max_session_length_seconds: z.number(), idle_seconds: z.number() }),
});
export type ConnectAnswer = z.infer<typeof connectAnswerSchema>;

/** `GET /connect`. */
export const iceServersSchema = z.object({ ice_servers: z.array(iceServerSchema) });

const percentilesSchema = z.object({ p50: z.number(), p95: z.number(), p99: z.number() });

/** `GET /api/stats`. With no live session `session` is null and the media figures are zero. */
export const statsSchema = z.object({
  session: z
    .object({
      session_id: z.string(),
      avatar: z.string(),
      kind: sessionKindSchema,
      started_at: z.int(),
      /** Somebody agreed to that, and it goes on. */
      recording: z.boolean(),
    })
    .nullable(),
  fps: z.number(),
  frame_ms: percentilesSchema,
  encode_ms: percentilesSchema,
  dropped_frames: z.int(),
  bitrate_bps: z.number(),
  rtt_ms: z.number().nullable(),
  first_audio_ms: percentilesSchema,
  first_frame_ms: percentilesSchema,
  llm_ms: percentilesSchema,
  tts_ms: percentilesSchema,
  /** From the end of the speaker's last word to the reply's first sound. */
  end_of_speech_ms: percentilesSchema,
  turns: z.int(),
  av_offset_ms: z.number(),
  encoder: z.string(),
  /** Where faces are warped, and where the viseme net runs: `portable`, `avx2` or `cuda`. */
  device: z.string(),
  net_device: z.string(),
  /** The session's NVIDIA card; empty without one. */
  gpu: z.string(),
  /**
   * Why there is no card (`no NVIDIA driver`) or, with one, what does not run on it and why (`encoder: this card has no
   * NVENC`). Empty while all does.
   */
  gpu_off: z.string(),
  /** Bytes: of the box, and in use on its card by all that use it. */
  memory: z.object({ rss: z.int(), gpu: z.int() }),
  uptime_s: z.number(),
});
export type Stats = z.infer<typeof statsSchema>;
