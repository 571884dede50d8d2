import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionLimits } from "./limits.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function limited({ idleSeconds = 10, maxSeconds = 0, busy = false }) {
  const expired: [reason: string, seconds: number][] = [];
  const limits = new SessionLimits({
    idleSeconds,
    maxSeconds,
    busy: () => busy,
    onExpired: (...why) => expired.push(why),
  });
  return { limits, expired };
}

test("nothing runs out before the session has begun", () => {
  const { limits, expired } = limited({ maxSeconds: 0.001 });
  limits.touch();
  limits.setMaxSeconds(1);
  vi.advanceTimersByTime(60_000);
  expect(expired).toEqual([]);
  limits.start();
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual([["max_length", 1]]);
});

test("a length longer than a timer reaches is kept all the same", () => {
  const month = 31 * 86_400;
  const { limits, expired } = limited({ idleSeconds: 86_400, maxSeconds: month, busy: true });
  limits.start();
  vi.advanceTimersByTime((month - 1) * 1000);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual([["max_length", month]]);
  limits.close();
});

test("a touch starts the idle window anew, and a closed session has none", () => {
  const { limits, expired } = limited({});
  limits.start();
  vi.advanceTimersByTime(9_000);
  limits.touch();
  vi.advanceTimersByTime(9_000);
  expect(expired).toEqual([]);
  limits.close();
  limits.touch();
  vi.advanceTimersByTime(60_000);
  expect(expired).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
