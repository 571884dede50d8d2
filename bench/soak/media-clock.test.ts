import { expect, test } from "vitest";
import { MediaClock } from "./media-clock.ts";

const packet = (atMs: number, timestamp: number) => ({ atMs, timestamp, payloadBytes: 1, marker: true });

test("the least delay is that of the packet that nothing held up, also across the wrap of 32 bits", () => {
  const clock = new MediaClock(90);
  const start = 2 ** 32 - 90 * 50;
  const delays = [0, 7, 3, 12].map((lateMs, i) =>
    packet(1000 + i * 40 + lateMs, (start + i * 40 * 90) % 2 ** 32),
  );
  expect(clock.leastDelayMs(delays)).toBe(1000);
  expect(clock.leastDelayMs([])).toBeNull();
  // 25 ms slower than its timestamps from here on.
  expect(clock.leastDelayMs([packet(1185, (start + 160 * 90) % 2 ** 32)])).toBe(1025);
});
