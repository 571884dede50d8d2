import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Heartbeat } from "../../contract/internal/boxes.ts";
import { createLog } from "../ops/log.ts";
import { Heartbeats } from "./heartbeat.ts";

const said: Heartbeat = {
  public_url: "http://127.0.0.1:1",
  region: "local",
  state: "draining",
  session: null,
  room: null,
  capacity: 1,
  avatars_warm: [],
  build: { known: false, short_commit: "unknown" },
  uptime_s: 1,
  revocations_seen: 0,
};

let answers: boolean;
let beats: Heartbeats;
beforeEach(() => {
  vi.useFakeTimers();
  answers = true;
  beats = new Heartbeats({
    log: createLog("silent"),
    compose: () => said,
    send: () =>
      answers
        ? Promise.resolve({ drain: false, revoked: [], revocations_seen: 0 })
        : Promise.reject(new Error("away")),
    onAnswer: () => undefined,
  });
  beats.beat();
});
afterEach(async () => {
  await beats.close();
  vi.useRealTimers();
});

/** Whether the portal has been given up, as it stands. */
function watch(enough = new AbortController().signal): { silent: boolean } {
  const seen = { silent: false };
  void beats.silent(180_000, enough).then(() => (seen.silent = true));
  return seen;
}

test("a portal that answers is never silent", async () => {
  const seen = watch();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(seen.silent).toBe(false);
});

test("one that stops answering is, so long after its last word", async () => {
  const seen = watch();
  await vi.advanceTimersByTimeAsync(600_000);
  answers = false;
  await vi.advanceTimersByTimeAsync(150_000);
  expect(seen.silent).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.silent).toBe(true);
});

test("one that has long been away is given its time once more, and a word of it is enough", async () => {
  answers = false;
  await vi.advanceTimersByTimeAsync(3_600_000);
  const seen = watch();
  await vi.advanceTimersByTimeAsync(170_000);
  answers = true;
  await vi.advanceTimersByTimeAsync(5_000);
  answers = false;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(seen.silent).toBe(false);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(seen.silent).toBe(true);
});

test("who does not want to know any more waits no longer", async () => {
  const enough = new AbortController();
  const seen = watch(enough.signal);
  enough.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.silent).toBe(true);
});
