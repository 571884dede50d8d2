// A whole box beside a portal that goes away, and comes back.

import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../ops/log.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionReport, TranscriptReport, UsageReport } from "../../contract/internal/sessions.ts";
import { FakePortal, portalAccount as account, portalKey as key } from "../testing/fake-portal.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";
import { SessionReports, type ReportedSession } from "./session-reports.ts";

let portal: FakePortal;
let stateDir: string;
let boxes: TestBox[];

beforeEach(async () => {
  portal = await FakePortal.start();
  stateDir = await mkdtemp(join(tmpdir(), "visavis-reports-"));
  boxes = [];
});
afterEach(async () => {
  await Promise.all(boxes.map((box) => box.close()));
  await portal.close();
  await rm(stateDir, { recursive: true, force: true });
});

async function start(): Promise<TestBox> {
  const box = await startTestBox({ ...portal.environment, VISAVIS_STATE: stateDir });
  boxes.push(box);
  return box;
}

const say = (box: TestBox, message: string) => box.ask("/api/chat", { key, body: { message } });
const hello = "assistant: Hello there. How are you?";

test("while the portal is gone a session goes on, and its history arrives when it is back", async () => {
  const box = await start();
  const { session_id: id } = await box.connect({ key });
  expect((await say(box, "One")).status).toBe(200);
  await expect.poll(() => portal.words(id)).toEqual(["user: One", hello]);
  portal.away = true;
  expect((await say(box, "Two")).status).toBe(200);
  expect((await say(box, "Three")).status).toBe(200);
  await box.ask("/disconnect", { method: "POST", key });
  expect(box.services.slot.current).toBeNull();
  portal.away = false;
  await expect.poll(() => portal.usage.size).toBe(1);
  expect(portal.words(id)).toEqual(["user: One", hello, "user: Two", hello, "user: Three", hello]);
  expect(portal.sessions.get(id)).toMatchObject({ end_reason: "disconnected", turns: 3 });
  expect(portal.usage.get(`session-${id}`)).toMatchObject({
    account,
    session_id: id,
    kind: "session",
    turns: 3,
    seconds: expect.any(Number),
  });
});

test("history that did not arrive before the box ended arrives when it starts again", async () => {
  const box = await start();
  const { session_id: id } = await box.connect({ key });
  await expect.poll(() => portal.sessions.size).toBe(1);
  portal.away = true;
  await say(box, "Keep this");
  await box.end();
  expect(portal.words(id)).toEqual([]);
  const [journal = ""] = await readdir(join(stateDir, "outbox"));
  expect(await readFile(join(stateDir, "outbox", journal), "utf8")).toContain("Keep this");
  portal.away = false;
  await start();
  await expect.poll(() => portal.usage.size).toBe(1);
  expect(portal.words(id)).toEqual(["user: Keep this", hello]);
  expect(portal.sessions.get(id)).toMatchObject({ end_reason: "box_shutdown", turns: 1 });
  await expect.poll(async () => (await readdir(join(stateDir, "live"))).length).toBe(0);
  // What has arrived is not kept; the file is written again, or goes, a moment later.
  const left = async () => {
    const names = await readdir(join(stateDir, "outbox"));
    const texts = await Promise.all(
      names.map((name) => readFile(join(stateDir, "outbox", name), "utf8").catch(() => "")),
    );
    return texts.join("");
  };
  await expect.poll(left).not.toContain("Keep this");
});

const session: ReportedSession = {
  id: "s1",
  account,
  kind: "studio",
  avatar: { id: "maya", madeAt: 0, tones: ["neutral"] },
  startedAt: Math.floor(Date.now() / 1000) - 60,
  turns: 2,
  room: null,
  facts: { model: "m", voice: "v", persona: "p" },
};

interface Told {
  sessions: SessionReport[];
  usage: UsageReport[];
  lines: TranscriptReport[];
}

function reporter(told: Told): SessionReports {
  return new SessionReports({
    dir: join(stateDir, "marks"),
    log: createLog("silent"),
    seenEveryMs: 5,
    portal: {
      reportSession: (report) => void told.sessions.push(report),
      reportUsage: (report) => void told.usage.push(report),
      reportTranscript: (report) => void told.lines.push(report),
      synced: () => Promise.resolve(true),
    },
  });
}

const marks = () => readdir(join(stateDir, "marks"));
const nobody = (): Told => ({ sessions: [], usage: [], lines: [] });

test("a session that a crash ended is reported as lost, with when it was last seen alive", async () => {
  const told = nobody();
  const crashed = reporter(told);
  crashed.began(session);
  await expect.poll(marks).toEqual(["s1.json"]);
  await crashed.close();
  const after = nobody();
  await reporter(after).close();
  expect(after.sessions).toEqual([{ ...told.sessions[0], end_reason: "lost", ended_at: expect.any(Number) }]);
  const [{ ended_at: endedAt } = { ended_at: null }] = after.sessions;
  expect(endedAt).toBeGreaterThanOrEqual(session.startedAt + 60);
  expect(after.usage).toMatchObject([{ usage_id: "session-s1", turns: 2, at: endedAt, session_id: "s1" }]);
  expect(after.usage[0]?.seconds).toBe((endedAt ?? 0) - session.startedAt);
  await expect.poll(marks).toEqual([]);
  const third = nobody();
  await reporter(third).close();
  expect(third.sessions).toEqual([]);
});

test("a room that a crash ended is counted as one, with the ids of its meeting", async () => {
  const crashed = reporter(nobody());
  crashed.began({ ...session, kind: "room", room: { name: "lobby", labels: { meeting_id: "m-1" } } });
  await expect.poll(marks).toEqual(["s1.json"]);
  await crashed.close();
  const told = nobody();
  await reporter(told).close();
  expect(told.usage).toMatchObject([{ kind: "room", labels: { meeting_id: "m-1" } }]);
});

test("while the disk does not take a session's end, its mark stays, and goes once it does", async () => {
  let synced = false;
  const portal = {
    reportSession: () => undefined,
    reportUsage: () => undefined,
    reportTranscript: () => undefined,
    synced: () => Promise.resolve(synced),
  };
  const dir = join(stateDir, "marks");
  const reports = new SessionReports({ dir, log: createLog("silent"), seenEveryMs: 5, portal });
  reports.began(session);
  await expect.poll(marks).toEqual(["s1.json"]);
  reports.ended(session, "idle");
  await reports.close();
  expect(await marks()).toEqual(["s1.json"]);
  const next = new SessionReports({ dir, log: createLog("silent"), seenEveryMs: 5, portal });
  synced = true;
  await expect.poll(marks).toEqual([]);
  await next.close();
});

test("a mark that the disk does not give away is left alone", async () => {
  await mkdir(join(stateDir, "marks", "s4.json"), { recursive: true });
  await reporter(nobody()).close();
  expect(await marks()).toEqual(["s4.json"]);
});

test("a session that ended is not lost, and marks that nobody can read are cleared away", async () => {
  const reports = reporter(nobody());
  reports.began(session);
  reports.ended(session, "idle");
  await reports.close();
  expect(await marks()).toEqual([]);
  await writeFile(join(stateDir, "marks", ".s2.part"), "{");
  await writeFile(join(stateDir, "marks", "s3.json"), '{"report":');
  const told = nobody();
  await reporter(told).close();
  expect(told.sessions).toEqual([]);
  expect(await marks()).toEqual([]);
});
