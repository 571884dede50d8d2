// Live sessions as a box reports them, for tests.

import { expect } from "vitest";
import type { SessionReport, TranscriptReport } from "../../contract/internal/sessions.ts";
import { sessionDetailSchema, sessionPageSchema, type SessionPage } from "../../contract/sessions.ts";
import { asBox, bodyOf, call, post, type BoxId, type Browser } from "./portal.ts";

export const ann = "ann@example.com";
export const bea = "bea@example.com";

export const tell = (path: string, body: unknown, boxId: BoxId = "box-a") =>
  post(`/internal/${path}`, body, asBox(boxId));

export const beginning = (changes: Partial<SessionReport> = {}): SessionReport => ({
  session_id: "s1",
  account: ann,
  kind: "studio",
  avatar_id: "ada",
  started_at: Math.floor(Date.now() / 1000),
  ended_at: null,
  end_reason: null,
  turns: 0,
  ...changes,
});

/** Reports a session of box-a; it is live unless it is said to have ended. */
export async function report(changes: Partial<SessionReport> = {}): Promise<SessionReport> {
  const session = beginning(changes);
  expect((await tell("sessions/report", session)).status).toBe(200);
  return session;
}

type Line = TranscriptReport["lines"][number];

export const userLine = (index: number, content: string): Line => ({
  index,
  role: "user",
  content,
  tone: null,
  at: 1_700_000_000 + index,
});
export const reply = (index: number, content: string): Line => ({
  ...userLine(index, content),
  role: "assistant",
  tone: "warm",
});

export const say = (lines: Line[], { session_id = "s1", account = ann, boxId = "box-a" as BoxId } = {}) =>
  tell("sessions/transcript", { session_id, account, lines }, boxId);

export async function readPage(browser: Browser, query = ""): Promise<SessionPage> {
  return bodyOf(await call(`/auth/sessions${query}`, { headers: browser }), sessionPageSchema);
}

export const askFor = (browser: Browser, id = "s1") => call(`/auth/sessions/${id}`, { headers: browser });
export const readDetail = async (browser: Browser, id = "s1") =>
  bodyOf(await askFor(browser, id), sessionDetailSchema);
export const patch = (browser: Browser, body: unknown, id = "s1") =>
  call(`/auth/sessions/${id}`, { method: "PATCH", headers: browser, body });
export const erase = (browser: Browser, id = "s1") =>
  call(`/auth/sessions/${id}`, { method: "DELETE", headers: browser });
