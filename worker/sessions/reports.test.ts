import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import type { UsageReport } from "../../contract/internal/sessions.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import {
  beat,
  bindings,
  bodyOf,
  db,
  liveSession,
  moveClock,
  signIn,
  type Browser,
} from "../testing/portal.ts";
import {
  ann,
  bea,
  beginning,
  erase,
  readDetail,
  readPage,
  reply,
  report,
  say,
  tell,
  userLine,
} from "../testing/sessions.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await signIn(ann);
});

const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code];
};
const readRow = () => db.prepare("SELECT * FROM sessions WHERE id = 's1'").first();

describe("session reports", () => {
  test("a session begins, ends once, and only its own box may say so", async () => {
    const began = await report();
    const ended = { ...began, ended_at: began.started_at + 60, end_reason: "idle", turns: 4 } as const;
    await tell("sessions/report", ended, "box-b");
    expect(await readRow()).toMatchObject({ ended_at: null });
    await tell("sessions/report", { ...ended, account: bea });
    expect(await readRow()).toMatchObject({ ended_at: null, account: ann });
    await tell("sessions/report", ended);
    await tell("sessions/report", { ...ended, end_reason: "replaced" });
    await tell("sessions/report", began);
    expect(await readRow()).toMatchObject({ end_reason: "idle", turns: 4, box_id: "box-a" });
  });

  test("what a later report leaves out stays", async () => {
    await report({ model: "m", voice: "v", persona: "p" });
    await report({ turns: 2 });
    expect((await readDetail(browser)).session).toMatchObject({
      model: "m",
      voice: "v",
      persona: "p",
      turns: 2,
    });
  });

  test("the clean-up takes one that no fresh box reports for lost, and the box itself knows better", async () => {
    const began = await report();
    await beat("box-a", liveSession(ann, "s1"));
    moveClock(100);
    await beat("box-a", liveSession(ann, "s1"));
    await cleanUp(envOf(bindings));
    expect(await readRow()).toMatchObject({ ended_at: null });
    moveClock(100);
    await cleanUp(envOf(bindings));
    expect(await readRow()).toMatchObject({ end_reason: "lost" });
    await tell("sessions/report", { ...began, ended_at: began.started_at + 9, end_reason: "idle" });
    expect(await readRow()).toMatchObject({ end_reason: "idle", ended_at: began.started_at + 9 });
  });

  test.each([
    ["an id that is no segment of a key", { session_id: "../s1" }],
    ["a negative count of turns", { turns: -1 }],
    ["an unknown field", { mood: "good" }],
  ])("with %s are refused", async (_label, changes) => {
    expect(await codeOf(await tell("sessions/report", { ...beginning(), ...changes }))).toEqual([
      400,
      "invalid_body",
    ]);
  });
});

describe("transcripts", () => {
  beforeEach(() => report());
  const read = async () => (await readDetail(browser)).transcript.map(({ content }) => content);

  test("take a line again at its place, as it was last said", async () => {
    const lines = [userLine(0, "Hi."), reply(1, "Hello, and welc")];
    await say(lines);
    await say(lines);
    await say([reply(1, "Hello.")]);
    expect(await read()).toEqual(["Hi.", "Hello."]);
  });

  test("count the turns of a session whose box is never heard of again", async () => {
    await say([userLine(0, "One."), reply(1, "1"), userLine(2, "Two.")]);
    await say([userLine(2, "Two.")]);
    expect((await readPage(browser)).sessions[0]?.turns).toBe(2);
  });

  test("keep every character", async () => {
    const content = 'Ω "quoted" \\ back\u2028slash 😀 \u0001 %s \'; DROP TABLE sessions; --';
    await say([userLine(0, content)]);
    expect(await read()).toEqual([content]);
  });

  test("take a hundred lines at once", async () => {
    const lines = Array.from({ length: 100 }, (_, i) => userLine(i, `line ${i}`));
    expect((await say(lines)).status).toBe(200);
    expect(await read()).toEqual(lines.map(({ content }) => content));
    expect(await codeOf(await say([...lines, userLine(100, "more")]))).toEqual([400, "invalid_body"]);
  });

  test("come from the box and for the account of the session, or there is none", async () => {
    for (const of of [{ boxId: "box-b" as const }, { account: bea }, { session_id: "s2" }]) {
      expect(await codeOf(await say([userLine(0, "Hi.")], of))).toEqual([404, "session_not_found"]);
    }
    expect(await read()).toEqual([]);
  });

  test("may end after the session has", async () => {
    await report({ ended_at: 2_000_000_000, end_reason: "disconnected" });
    expect((await say([userLine(0, "Wait!")])).status).toBe(200);
    expect(await read()).toEqual(["Wait!"]);
  });
});

describe("usage", () => {
  const used: UsageReport = {
    usage_id: "u1",
    account: ann,
    session_id: "s1",
    kind: "session",
    seconds: 61.5,
    turns: 3,
    at: 1_700_000_000,
    labels: { meeting: "m-1" },
  };
  const readUsage = async () => (await db.prepare("SELECT * FROM usage").all()).results;

  test("is kept once, however often it is reported", async () => {
    for (const seconds of [61.5, 61.5, 99]) {
      expect((await tell("usage", { ...used, seconds })).status).toBe(200);
    }
    expect(await readUsage()).toEqual([
      {
        id: "u1",
        account: ann,
        box_id: "box-a",
        session_id: "s1",
        kind: "session",
        seconds: 61.5,
        turns: 3,
        at: 1_700_000_000,
        labels: '{"meeting":"m-1"}',
      },
    ]);
  });

  test("of an erased session does not say which it was", async () => {
    await report();
    await tell("usage", used);
    await erase(browser);
    await tell("usage", { ...used, usage_id: "u2" });
    await tell("usage", { ...used, usage_id: "u3", session_id: null, labels: { meeting: "m-2" } });
    const kept = (await readUsage()).map(({ id, session_id, labels, seconds }) => [
      id,
      session_id,
      labels,
      seconds,
    ]);
    expect(kept).toEqual([
      ["u1", null, "{}", 61.5],
      ["u2", null, "{}", 61.5],
      ["u3", null, '{"meeting":"m-2"}', 61.5],
    ]);
  });
});

test.each<[string, string, () => Promise<Response>]>([
  ["session report", "sessions", () => tell("sessions/report", beginning())],
  ["transcript", "transcript_lines", () => say([userLine(0, "Hi.")])],
  [
    "usage report",
    "usage",
    () =>
      tell("usage", {
        usage_id: "u",
        account: ann,
        session_id: null,
        kind: "clip",
        seconds: 1,
        turns: 0,
        at: 1,
      }),
  ],
])(
  "a %s that the store cannot take is sessions_unavailable, so that the box sends it again",
  async (_label, table, send) => {
    await report({ started_at: beginning().started_at });
    await db.prepare(`ALTER TABLE ${table} RENAME TO out_of_reach`).run();
    expect(await codeOf(await send())).toEqual([503, "sessions_unavailable"]);
    await db.prepare(`ALTER TABLE out_of_reach RENAME TO ${table}`).run();
    expect((await send()).status).toBe(200);
  },
);
