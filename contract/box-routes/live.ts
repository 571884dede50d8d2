// Opening, driving and watching the one live session.

import { okSchema } from "../chat.ts";
import { controlSocketPath } from "../control-socket.ts";
import {
  connectAnswerSchema,
  connectRequestSchema,
  iceServersSchema,
  offerRequestSchema,
  statsSchema,
} from "../live.ts";
import { microphoneSocketPath } from "../microphone-socket.ts";
import { bytes, json, type BoxRoute } from "./route.ts";

const sdp = bytes("application/sdp");

export const liveRoutes: BoxRoute[] = [
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
    failures: [400, 403, 404, 409, 413, 501, 503],
  },
  {
    method: "post",
    path: "/offer",
    summary: "Go live as with `/connect`, and speak a sound file",
    body: json(offerRequestSchema),
    status: 200,
    answer: json(connectAnswerSchema),
    envelope: "flat",
    failures: [400, 403, 404, 409, 413, 501, 503],
  },
  {
    method: "patch",
    path: "/connect/{id}",
    summary: "Add ICE candidates (RFC 8840 fragments)",
    body: [bytes("application/trickle-ice-sdpfrag")],
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
    failures: [403, 503],
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
    path: "/api/stats",
    summary: "How the live session is doing",
    status: 200,
    answer: json(statsSchema),
    envelope: "flat",
    failures: [503],
  },
];
