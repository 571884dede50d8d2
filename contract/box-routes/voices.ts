// Voices, and sound files to speak.

import { z } from "zod";
import { audioListSchema, audioUploadedSchema } from "../audios.ts";
import {
  previewRequestSchema,
  voiceCatalogueSchema,
  voicePrepareRequestSchema,
  voiceUploadedSchema,
} from "../voices.ts";
import { bytes, form, json, type BoxRoute } from "./route.ts";

const file = (description: string) => z.string().meta({ format: "binary", description });

export const voiceRoutes: BoxRoute[] = [
  {
    method: "get",
    path: "/api/voices",
    summary: "The voices of every engine the caller may speak with; branch on each group's `state`",
    query: { refresh: "`1`: ask the providers again." },
    status: 200,
    answer: json(voiceCatalogueSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: "/api/voice/preview",
    summary: "A short fixed sentence in a voice",
    query: { voice: "Default: the session's.", provider: "Default: the session's engine." },
    status: 200,
    answer: [bytes("audio/wav")],
    envelope: "structured",
    failures: [400, 404, 429, 502, 503],
  },
  {
    method: "post",
    path: "/api/voice/preview",
    summary: "A line of the caller's own in a voice",
    body: json(previewRequestSchema),
    status: 200,
    answer: [bytes("audio/wav")],
    envelope: "structured",
    failures: [400, 404, 413, 429, 502, 503],
  },
  {
    method: "post",
    path: "/api/voice/upload",
    summary: "Clone a voice from a clip, where the box runs the self-hosted speech server",
    body: form(z.object({ file: file("3 to 60 seconds of one person speaking."), name: z.string() })),
    status: 200,
    answer: json(voiceUploadedSchema),
    envelope: "flat",
    failures: [400, 413, 502, 503],
  },
  {
    method: "post",
    path: "/api/voice/prepare",
    summary: "Warm a voice of the self-hosted speech server; its answer is passed through",
    body: json(voicePrepareRequestSchema),
    status: 200,
    answer: json(z.unknown()),
    envelope: "flat",
    failures: [400, 413, 502, 503],
  },
  {
    method: "post",
    path: "/api/upload",
    summary: "Keep a sound file for `POST /offer`",
    body: form(z.object({ file: file("WAV, MP3, OGG, FLAC, M4A or WEBM, at most 10 minutes.") })),
    status: 200,
    answer: json(audioUploadedSchema),
    envelope: "flat",
    failures: [400, 413, 503],
  },
  {
    method: "get",
    path: "/api/audios",
    summary: "The caller's sound files, newest first",
    status: 200,
    answer: json(audioListSchema),
    envelope: "flat",
    failures: [503],
  },
];
