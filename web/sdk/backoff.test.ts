import { describe, expect, it } from "vitest";
import { backoffMs, sleep } from "./backoff.ts";

describe("backoffMs", () => {
  const least = { baseMs: 500, capMs: 8000, random: () => 0 };
  const most = { ...least, random: () => 1 };

  it("doubles between half and the whole of the delay, up to the cap", () => {
    expect([0, 1, 2, 3, 4, 5, 20].map((attempt) => backoffMs(attempt, least))).toEqual([
      250, 500, 1000, 2000, 4000, 4000, 4000,
    ]);
    expect([0, 1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, most))).toEqual([
      500, 1000, 2000, 4000, 8000, 8000,
    ]);
  });
});

describe("sleep", () => {
  it("ends early when its signal aborts, before or during", async () => {
    await expect(sleep(1e6, AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
    const abort = new AbortController();
    const sleeping = sleep(1e6, abort.signal);
    abort.abort(new Error("enough"));
    await expect(sleeping).rejects.toThrow("enough");
  });
});
