// Rooms of LiveKit that a box joins: what is asked, and what is answered. Durations are minutes, as in the bodies.

import { z } from "zod";
import { boxStateSchema } from "./health.ts";

/** Where an agent's sound comes in: the topic of its byte streams, as agents written with LiveKit's frameworks send it. */
export const roomAudioTopic = "lk.audio_stream";

/** The two spellings of every room route, with the same handlers behind both. */
export const roomPrefixes = ["/rtc", "/livekit"] as const;

const optionalText = (length: number) => z.string().max(length).nullish();

/** More than anybody meets. */
const minutesSchema = z.number().positive();

/**
 * `POST /rtc/join`. `rtc_url` and `rtc_token` may be called `livekit_url` and `livekit_token`. Blank texts and null count as
 * left out; fields that are not known are ignored.
 */
export const roomJoinRequestSchema = z.object({
  /** A ws or wss URL. */
  rtc_url: optionalText(2048),
  livekit_url: optionalText(2048),
  /** For the avatar's identity: kind `agent`, `roomJoin` for this room, and the attribute `lk.publish_on_behalf`. */
  rtc_token: optionalText(16_384),
  livekit_token: optionalText(16_384),
  room_name: z.string().max(512),
  /** The one that the token joins as; default: the one that readiness reports. */
  identity: optionalText(512),
  /** The agent that is listened to; default: the one the token publishes for, else the first agent in the room. */
  engine_identity: optionalText(512),
  avatar: optionalText(200),
  expected_minutes: minutesSchema.nullish(),
  /** Lowered to the box's ceiling. */
  max_minutes: minutesSchema.nullish(),
  /** Lowered to the box's ceiling. */
  idle_minutes: minutesSchema.nullish(),
  /** Ids for the meeting's usage record. */
  usage: z
    .record(z.string().min(1).max(64), z.union([z.string().max(200), z.number(), z.boolean(), z.null()]))
    .nullish()
    .refine((usage) => Object.keys(usage ?? {}).length <= 20, "must not have more than 20 members"),
});
export type RoomJoinRequest = z.infer<typeof roomJoinRequestSchema>;

export const roomJoinAnswerSchema = z.object({
  ok: z.literal(true),
  /** Read from the token. */
  identity: z.string(),
  room: z.string(),
  avatar: z.string(),
  /** Silence is sent while nobody speaks: the sound never stops. */
  silence: z.boolean(),
  /** A stand-in is shown in place of the avatar's own idle loop. */
  idle_stand_in: z.boolean(),
  limits: z.object({
    max_minutes: z.number(),
    idle_minutes: z.number(),
    expected_minutes: z.number().nullable(),
    /** What was asked for and lowered. */
    clamped: z.array(z.enum(["max_minutes", "idle_minutes"])),
  }),
  /** Of the meeting's usage record. */
  session_id: z.string(),
});
export type RoomJoinAnswer = z.infer<typeof roomJoinAnswerSchema>;

/** `POST /rtc/leave`; no body leaves whatever room there is. */
export const roomLeaveRequestSchema = z.object({ room_name: optionalText(512) });

export const roomLeaveAnswerSchema = z.object({
  ok: z.literal(true),
  /** False: there was nothing to leave. */
  left: z.boolean(),
  room: z.string().nullable(),
  /** Null where a join in flight was called off. */
  session_id: z.string().nullable(),
});
export type RoomLeaveAnswer = z.infer<typeof roomLeaveAnswerSchema>;

/** `GET /rtc/status`. */
export const roomStatusSchema = z.object({
  ok: z.literal(true),
  state: boxStateSchema,
  /** Until the live room reaches its length; null without one. */
  minutes_remaining: z.number().nullable(),
  /** Until the box ends; null where it does not end by itself. */
  shutdown_minutes_remaining: z.number().nullable(),
  /** So long before its end a box begins to drain. */
  drain_threshold_minutes: z.number(),
  /** Whether the box ends by itself when nobody uses it. */
  idle_shutdown: z.boolean(),
  /** It takes no more calls that would outlast it. */
  drain: z.boolean(),
  limits: z.object({ max_minutes_ceiling: z.number(), idle_minutes_ceiling: z.number() }),
  /** These two only to the account that joined. */
  room: z.string().nullable(),
  session_id: z.string().nullable(),
  /** The one that was asked about, else the caller's own live one. */
  avatar: z.string().nullable(),
  /** It is loaded, so that a join with it is quick; null where none was asked about. */
  avatar_warmed: z.boolean().nullable(),
  box_id: z.string(),
  build: z.object({ known: z.boolean(), short_commit: z.string() }),
});
export type RoomStatus = z.infer<typeof roomStatusSchema>;

/** `GET /rtc/readiness`. */
export const roomReadinessSchema = z.object({
  ok: z.literal(true),
  /** The box can join rooms. */
  installed: z.boolean(),
  /** Why it cannot. */
  problem: z.string().nullable(),
  /** By package. */
  versions: z.record(z.string(), z.string()),
  /** The identity that tokens are expected for, unless the join names another. */
  identity: z.string(),
  /** Of the byte streams that bring the agent's sound. */
  topic: z.string(),
});
export type RoomReadiness = z.infer<typeof roomReadinessSchema>;
