import {
  keptAnswerSchema,
  recordingDoneSchema,
  recordingGrantSchema,
  recordingRequestSchema,
  sessionReportSchema,
  transcriptReportSchema,
  usageReportSchema,
} from "../../contract/internal/sessions.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { beginRecording, finishRecording } from "../sessions/recordings.ts";
import { recordSession, recordTranscript, recordUsage } from "../sessions/reports.ts";

const report = declareRoute("box", {
  method: "post",
  path: "/internal/sessions/report",
  request: { body: takes(sessionReportSchema) },
  responses: { 200: answers(keptAnswerSchema, "The report is kept") },
});

const transcript = declareRoute("box", {
  method: "post",
  path: "/internal/sessions/transcript",
  request: { body: takes(transcriptReportSchema) },
  responses: { 200: answers(keptAnswerSchema, "The lines are kept") },
});

const recording = declareRoute("box", {
  method: "post",
  path: "/internal/sessions/recording",
  request: { body: takes(recordingRequestSchema) },
  responses: { 200: answers(recordingGrantSchema, "Where the recording goes") },
});

const recordingDone = declareRoute("box", {
  method: "post",
  path: "/internal/sessions/recording/done",
  request: { body: takes(recordingDoneSchema) },
  responses: { 200: answers(keptAnswerSchema, "The recording counts") },
});

const usage = declareRoute("box", {
  method: "post",
  path: "/internal/usage",
  request: { body: takes(usageReportSchema) },
  responses: { 200: answers(keptAnswerSchema, "The report is kept") },
});

const kept = { ok: true } as const;

export function mountInternalSessions(app: PortalApp): void {
  app.openapi(report, async (c) => {
    unwrap(await recordSession(c.var.env.db, c.var.boxId, c.req.valid("json")));
    return c.json(kept, 200);
  });

  app.openapi(transcript, async (c) => {
    unwrap(await recordTranscript(c.var.env.db, c.var.boxId, c.req.valid("json")));
    return c.json(kept, 200);
  });

  app.openapi(recording, async (c) => {
    const asked = { request: c.req.valid("json"), signer: signerOf(c) };
    return c.json(unwrap(await beginRecording(c.var.env.db, c.var.boxId, asked)), 200);
  });

  app.openapi(recordingDone, async (c) => {
    const { session_id: sessionId, account } = c.req.valid("json");
    unwrap(await finishRecording(c.var.env, { boxId: c.var.boxId, account, sessionId }));
    return c.json(kept, 200);
  });

  app.openapi(usage, async (c) => {
    unwrap(await recordUsage(c.var.env.db, c.var.boxId, c.req.valid("json")));
    return c.json(kept, 200);
  });
}
