// Every route of a box that is built, as its callers see it. The policy of each is `boxPolicy`'s; the portal describes them
// in its OpenAPI document, and a test of the box holds this table against the routes it serves.

import { z } from "zod";
import { avatarCreatedSchema, avatarListSchema } from "./avatars.ts";
import {
  chatRequestSchema,
  chatResetSchema,
  chatStatusSchema,
  liveReplySchema,
  okSchema,
  recordedReplySchema,
  talkAnswerSchema,
  talkRequestSchema,
} from "./chat.ts";
import { controlSocketPath } from "./control-socket.ts";
import type { Envelope } from "./errors.ts";
import { microphoneSocketPath } from "./microphone-socket.ts";
import { connectAnswerSchema, connectRequestSchema, iceServersSchema, statsSchema } from "./live.ts";
import { settingsPatchSchema, settingsReadSchema, settingsSavedSchema } from "./settings.ts";

/** One way a body may look, by its media type; null for bytes. */
export interface BoxBody {
  type: string;
  schema: z.ZodType | null;
}

export interface BoxRoute {
  method: "get" | "post" | "patch" | "delete";
  /** Parameters in braces. */
  path: string;
  summary: string;
  /** Query parameters by name, with what each means. */
  query?: Record<string, string>;
  body?: BoxBody[];
  status: number;
  /** Empty: no body. */
  answer: BoxBody[];
  envelope: Envelope;
  /** Statuses of its failures beside 401 and 500. */
  failures: number[];
}

const json = (schema: z.ZodType): BoxBody[] => [{ type: "application/json", schema }];
const sdp: BoxBody = { type: "application/sdp", schema: null };

const avatarFormSchema = z.object({
  file: z.string().meta({ format: "binary", description: "PNG or JPEG, at most 15 MB." }),
  name: z.string().optional(),
  tones: z.string().optional().meta({ description: "Comma separated." }),
  framing: z.enum(["head", "bust", "full"]).optional(),
  gesture_amplitude: z.number().min(0).max(1).optional(),
});

export const boxRoutes: BoxRoute[] = [
  {
    method: "get",
    path: "/connect",
    summary: "ICE servers for a session that is about to open",
    status: 200,
    answer: json(iceServersSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "post",
    path: "/connect",
    summary:
      "Go live: an SDP offer as JSON, or as a WHEP client sends it (then 201 and the answer as the body)",
    query: { session_token: "The credential, where no header can be set." },
    body: [...json(connectRequestSchema), sdp],
    status: 200,
    answer: [...json(connectAnswerSchema), sdp],
    envelope: "flat",
    failures: [400, 404, 413, 503],
  },
  {
    method: "patch",
    path: "/connect/{id}",
    summary: "Add ICE candidates (RFC 8840 fragments)",
    body: [{ type: "application/trickle-ice-sdpfrag", schema: null }],
    status: 204,
    answer: [],
    envelope: "flat",
    failures: [400, 404, 422],
  },
  {
    method: "delete",
    path: "/connect/{id}",
    summary: "End the session",
    status: 200,
    answer: json(okSchema),
    envelope: "flat",
    failures: [404],
  },
  {
    method: "post",
    path: "/disconnect",
    summary: "End the live session, whether or not there is one",
    status: 200,
    answer: json(okSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: controlSocketPath,
    summary: "The control socket (WebSocket upgrade); its messages are camelCase",
    query: {
      session_token: "The credential, since a browser cannot set headers here.",
      max_session_length_seconds: "Ceiling of the session; 0 for none.",
    },
    status: 101,
    answer: [],
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: microphoneSocketPath,
    summary: "The microphone socket (WebSocket upgrade); 16 kHz PCM in, the conversation's events out",
    query: { session_token: "The credential, since a browser cannot set headers here." },
    status: 101,
    answer: [],
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: "/api/chat/status",
    summary: "Whether a turn can be answered; branch on `ready`",
    status: 200,
    answer: json(chatStatusSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "post",
    path: "/api/chat",
    summary:
      "One turn: the model answers, the avatar speaks. `Accept: application/x-ndjson` streams it clause by clause",
    body: json(chatRequestSchema),
    status: 200,
    answer: [
      ...json(z.union([liveReplySchema, recordedReplySchema])),
      { type: "application/x-ndjson", schema: null },
    ],
    envelope: "flat",
    failures: [400, 413, 502, 503],
  },
  {
    method: "post",
    path: "/api/chat/reset",
    summary: "Close the caller's conversation",
    status: 200,
    answer: json(chatResetSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "post",
    path: "/api/talk",
    summary: "Speak a text as it is; no model, no history",
    body: json(talkRequestSchema),
    status: 200,
    answer: json(talkAnswerSchema),
    envelope: "flat",
    failures: [400, 409, 413, 502, 503],
  },
  {
    method: "post",
    path: "/api/interrupt",
    summary: "Stop what is being said, whether or not anything is",
    status: 200,
    answer: json(okSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: "/api/avatars",
    summary: "Avatars on this box",
    status: 200,
    answer: json(avatarListSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: "/api/avatar/preview",
    summary: "Still of an avatar",
    query: { avatar: "Avatar id." },
    status: 200,
    answer: [{ type: "image/jpeg", schema: null }],
    envelope: "flat",
    failures: [404, 503],
  },
  {
    method: "post",
    path: "/api/avatar",
    summary: "Make an avatar from one photograph",
    body: [{ type: "multipart/form-data", schema: avatarFormSchema }],
    status: 200,
    answer: json(avatarCreatedSchema),
    envelope: "structured",
    failures: [400, 409, 413, 429, 501, 503],
  },
  {
    method: "get",
    path: "/api/settings",
    summary: "The caller's settings; kept for older clients, see /auth/settings",
    status: 200,
    answer: json(settingsReadSchema),
    envelope: "structured",
    failures: [503],
  },
  {
    method: "post",
    path: "/api/settings",
    summary: "Save settings; kept for older clients, see /auth/settings",
    body: json(settingsPatchSchema),
    status: 200,
    answer: json(settingsSavedSchema),
    envelope: "structured",
    failures: [400, 413, 503],
  },
  {
    method: "get",
    path: "/api/stats",
    summary: "How the live session is doing",
    status: 200,
    answer: json(statsSchema),
    envelope: "flat",
    failures: [503],
  },
];
