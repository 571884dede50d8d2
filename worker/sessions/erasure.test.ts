import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { sessionErasureSchema } from "../../contract/sessions.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { bindings, bodyOf, db, moveClock, signIn, type Browser } from "../testing/portal.ts";
import {
  ann,
  bea,
  beginning,
  erase,
  patch,
  readPage,
  reply,
  report,
  say,
  tell,
  userLine,
} from "../testing/sessions.ts";
import { sessionPrefix } from "./folders.ts";

const media = bindings.MEDIA;
let browser: Browser;
beforeEach(async () => {
  browser = await signIn(ann);
});

const artefacts = ["transcript", "summary", "recording", "recording_consent", "session"];
const stored = ["recording", "recording_consent"];

async function receipt(response: Response) {
  expect(response.status).toBe(202);
  return bodyOf(response, sessionErasureSchema);
}
const codeOf = async (response: Response) =>
  [response.status, (await bodyOf(response, structuredErrorSchema)).error.code] as const;
const gone = [404, "session_not_found"];

/** A recording as a box leaves it behind. */
async function record(id = "s1", account = ann, storedAt: number | null = 1): Promise<string> {
  const prefix = sessionPrefix(id);
  await db
    .prepare(
      "INSERT INTO recordings (session_id, account, content_type, size, sha256, terms_version, terms_digest, agreed_at, " +
        "granted_at, stored_at) VALUES (?, ?, 'video/mp4', 1, 'x', '1', 'x', 1, ?, ?)",
    )
    .bind(id, account, Math.floor(Date.now() / 1000), storedAt)
    .run();
  await Promise.all(["recording.mp4", "consent.json"].map((name) => media.put(prefix + name, "x")));
  return prefix;
}

const sessionTables = ["sessions", "transcript_lines", "recordings"];
async function rowsOf(table: string): Promise<number> {
  return (await db.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n ?? 0;
}
const stillStored = async () => (await media.list()).objects.map(({ key }) => key);

const breakStorage = () =>
  vi.spyOn(Object.getPrototypeOf(media) as R2Bucket, "list").mockRejectedValue(new Error("storage is out"));

describe("an erasure", () => {
  test("leaves nothing of the session, and everything of the others", async () => {
    await report();
    await say([userLine(0, "Hi."), reply(1, "Hello.")]);
    await patch(browser, { notes: "private" });
    await record();
    await report({ session_id: "s10" });
    await say([userLine(0, "Stay.")], { session_id: "s10" });
    const kept = await record("s10");
    expect(await receipt(await erase(browser))).toEqual({ done: artefacts, pending: [] });
    for (const table of sessionTables) expect([table, await rowsOf(table)]).toEqual([table, 1]);
    expect(await stillStored()).toEqual([`${kept}consent.json`, `${kept}recording.mp4`]);
    expect((await readPage(browser)).sessions.map(({ id }) => id)).toEqual(["s10"]);
    expect(await codeOf(await erase(browser))).toEqual(gone);
  });

  test("of a live session is not undone by what its box reports later", async () => {
    const began = await report();
    await receipt(await erase(browser));
    expect((await tell("sessions/report", { ...began, turns: 3 })).status).toBe(200);
    expect(await codeOf(await say([userLine(0, "Still there?")]))).toEqual(gone);
    moveClock(24 * 3600 - 60);
    await cleanUp(envOf(bindings));
    await tell("sessions/report", { ...began, ended_at: began.started_at + 60, end_reason: "idle" });
    // The mark of the erasure runs out, and with it the time in which an unknown session is taken up.
    moveClock(120);
    await cleanUp(envOf(bindings));
    expect(await rowsOf("erased_sessions")).toBe(0);
    await tell("sessions/report", { ...began, ended_at: began.started_at + 60, end_reason: "idle" });
    for (const table of sessionTables) expect([table, await rowsOf(table)]).toEqual([table, 0]);
  });

  test("that storage fails is pending until the clean-up has finished it", async () => {
    await report();
    await record();
    const broken = breakStorage();
    const rest = artefacts.filter((artefact) => !stored.includes(artefact));
    for (let i = 0; i < 2; i++) {
      expect(await receipt(await erase(browser))).toEqual({ done: rest, pending: stored });
    }
    for (const table of sessionTables) expect([table, await rowsOf(table)]).toEqual([table, 0]);
    expect(await codeOf(await erase(await signIn(bea)))).toEqual(gone);
    broken.mockRestore();
    await cleanUp(envOf(bindings));
    expect(await stillStored()).toEqual([]);
    expect(await codeOf(await erase(browser))).toEqual(gone);
  });

  test("that storage fails for more than a day is still the account's to repeat", async () => {
    await report();
    await record();
    const broken = breakStorage();
    await receipt(await erase(browser));
    moveClock(2 * 24 * 3600);
    await cleanUp(envOf(bindings)).catch(() => undefined);
    browser = await signIn(ann);
    expect((await receipt(await erase(browser))).pending).toEqual(stored);
    broken.mockRestore();
    expect((await receipt(await erase(browser))).pending).toEqual([]);
    await cleanUp(envOf(bindings));
    expect(await rowsOf("erased_sessions")).toBe(0);
  });

  test("is finished by a repeat once storage answers again", async () => {
    await report();
    await record();
    const broken = breakStorage();
    await receipt(await erase(browser));
    broken.mockRestore();
    expect(await receipt(await erase(browser))).toEqual({ done: artefacts, pending: [] });
    expect(await stillStored()).toEqual([]);
    expect(await codeOf(await erase(browser))).toEqual(gone);
  });

  test("catches a recording that is PUT after it, under a grant from before it", async () => {
    await report();
    const prefix = await record("s1", ann, null);
    await receipt(await erase(browser));
    // One that began in the last seconds of its grant is still being written when the grant has run out.
    moveClock(limits.signedUrlSeconds + 60);
    await cleanUp(envOf(bindings));
    await media.put(`${prefix}recording.mp4`, "late");
    await cleanUp(envOf(bindings));
    expect(await stillStored()).toHaveLength(1);
    moveClock(limits.signedUrlSeconds);
    await cleanUp(envOf(bindings));
    expect(await stillStored()).toEqual([]);
    expect(await codeOf(await erase(browser))).toEqual(gone);
  });

  test("loses nothing when the store fails in the middle", async () => {
    await report();
    await say([userLine(0, "Hi.")]);
    await record();
    await db.exec(
      "CREATE TRIGGER stuck BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    expect(await codeOf(await erase(browser))).toEqual([503, "sessions_unavailable"]);
    for (const table of sessionTables) expect([table, await rowsOf(table)]).toEqual([table, 1]);
    expect(await rowsOf("media_removals")).toBe(0);
    expect(await stillStored()).toHaveLength(2);
    await db.exec("DROP TRIGGER stuck");
    expect((await receipt(await erase(browser))).pending).toEqual([]);
  });

  test("asked for many times at once is done once", async () => {
    await report();
    await record();
    const answers = await Promise.all(Array.from({ length: 8 }, () => erase(browser)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toContain(202);
    statuses.delete(202);
    statuses.delete(404);
    expect([...statuses]).toEqual([]);
    expect(await stillStored()).toEqual([]);
    expect(await codeOf(await erase(browser))).toEqual(gone);
  });

  test("is idempotent and ends complete, whatever fails on the way", async () => {
    const step = fc.constantFrom(
      "erase",
      "clean up",
      "storage fails",
      "storage works",
      "late report",
      "late line",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const id = crypto.randomUUID();
        const began = await report({ session_id: id });
        await record(id);
        let broken: ReturnType<typeof breakStorage> | null = null;
        let erased = false;
        for (const now of steps) {
          if (now === "erase") {
            const { status } = await erase(browser, id);
            expect(status === 202 || (status === 404 && erased)).toBe(true);
            erased = true;
          } else if (now === "clean up") await cleanUp(envOf(bindings));
          else if (now === "storage fails") broken ??= breakStorage();
          else if (now === "storage works") {
            broken?.mockRestore();
            broken = null;
          } else if (now === "late report")
            await tell("sessions/report", { ...beginning(), ...began, turns: 9 });
          else await say([userLine(0, "late")], { session_id: id });
        }
        broken?.mockRestore();
        const last = await erase(browser, id);
        if (last.status === 202) expect((await receipt(last)).pending).toEqual([]);
        else expect([await codeOf(last), erased]).toEqual([gone, true]);
        for (const table of sessionTables) expect([table, await rowsOf(table)]).toEqual([table, 0]);
        expect(await stillStored()).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

test("a recording that never arrived is given up after a day, and one that did is not", async () => {
  await report();
  const prefix = await record("s1", ann, null);
  await report({ session_id: "s2" });
  await record("s2");
  await cleanUp(envOf(bindings));
  expect(await rowsOf("recordings")).toBe(2);
  moveClock(24 * 3600 + 1);
  await cleanUp(envOf(bindings));
  expect(await rowsOf("recordings")).toBe(1);
  expect((await stillStored()).filter((key) => key.startsWith(prefix))).toEqual([]);
  expect(await stillStored()).toHaveLength(2);
});
