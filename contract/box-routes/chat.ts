// Turns over HTTP.

import { z } from "zod";
import {
  chatRequestSchema,
  chatResetSchema,
  chatStatusSchema,
  liveReplySchema,
  okSchema,
  recordedReplySchema,
  talkAnswerSchema,
  talkRequestSchema,
} from "../chat.ts";
import { bytes, json, type BoxRoute } from "./route.ts";

export const chatRoutes: BoxRoute[] = [
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
    answer: [...json(z.union([liveReplySchema, recordedReplySchema])), bytes("application/x-ndjson")],
    envelope: "flat",
    failures: [400, 403, 413, 502, 503],
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
];
