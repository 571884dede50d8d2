// Joining rooms, under both spellings of the prefix.

import {
  roomJoinAnswerSchema,
  roomJoinRequestSchema,
  roomLeaveAnswerSchema,
  roomLeaveRequestSchema,
  roomPrefixes,
  roomReadinessSchema,
  roomStatusSchema,
} from "../rooms.ts";
import { json, type BoxRoute } from "./route.ts";

export const roomRoutes: BoxRoute[] = roomPrefixes.flatMap((prefix): BoxRoute[] => [
  {
    method: "post",
    path: `${prefix}/join`,
    summary: "Join a room, publish the avatar, and speak with an agent's voice",
    body: json(roomJoinRequestSchema),
    status: 200,
    answer: json(roomJoinAnswerSchema),
    envelope: "structured",
    failures: [400, 404, 409, 413, 502, 503],
  },
  {
    method: "post",
    path: `${prefix}/leave`,
    summary: "Leave the room; also calls off a join that is on its way",
    body: json(roomLeaveRequestSchema),
    status: 200,
    answer: json(roomLeaveAnswerSchema),
    envelope: "structured",
    failures: [400, 403, 409, 413, 503],
  },
  {
    method: "get",
    path: `${prefix}/status`,
    summary: "Whether the box is free, busy or draining",
    query: { avatar: "Also says whether this one is loaded." },
    status: 200,
    answer: json(roomStatusSchema),
    envelope: "structured",
    failures: [503],
  },
  {
    method: "get",
    path: `${prefix}/readiness`,
    summary: "Whether the box can join rooms at all",
    status: 200,
    answer: json(roomReadinessSchema),
    envelope: "structured",
    failures: [503],
  },
]);
