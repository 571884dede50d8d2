import { expect, test } from "vitest";
import { envOf } from "../platform/env.ts";
import { plansOf } from "../testing/plans.ts";
import { beat, bindings, db, liveSession, moveClock } from "../testing/portal.ts";
import { ann, report } from "../testing/sessions.ts";
import { endLostSessions } from "./lost.ts";

const env = envOf(bindings);
const endings = async () => {
  const { results } = await db
    .prepare("SELECT id, end_reason FROM sessions ORDER BY id")
    .all<{ id: string; end_reason: string | null }>();
  return results.map(({ id, end_reason: reason }) => [id, reason]);
};

test("a live session is lost once no fresh box reports it, and not while it may be unheard of yet", async () => {
  await report({ session_id: "s1" });
  await report({ session_id: "s2" });
  await report({ session_id: "s3", ended_at: Math.floor(Date.now() / 1000), end_reason: "idle" });
  await endLostSessions(env);
  expect(await endings()).toEqual([
    ["s1", null],
    ["s2", null],
    ["s3", "idle"],
  ]);
  moveClock(91);
  await beat("box-a", liveSession(ann, "s1"));
  await endLostSessions(env);
  expect(await endings()).toEqual([
    ["s1", null],
    ["s2", "lost"],
    ["s3", "idle"],
  ]);
  moveClock(45);
  await endLostSessions(env);
  expect((await endings())[0]).toEqual(["s1", "lost"]);
});

test("looking for lost sessions reads only those that are live", async () => {
  const steps = await plansOf((observed) => endLostSessions({ db: observed }));
  expect(steps.join("\n")).toContain("sessions USING INDEX sessions_live");
});
