import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Microphone } from "./microphone.ts";
import { frameSamples } from "./voice-activity.ts";

const value = (at: number): number => (at * 7919) % 30_000;

function push(microphone: Microphone, count: number): void {
  const from = microphone.written;
  microphone.push(Int16Array.from({ length: count }, (_, index) => value(from + index)));
}

test("frames come whole and in order, whatever the pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 20 }), (counts) => {
      const microphone = new Microphone();
      const frame = new Int16Array(frameSamples);
      let judged = 0;
      for (const count of counts) {
        push(microphone, count);
        while (microphone.next(frame)) {
          if (frame.some((sample, index) => sample !== value(judged + index)))
            throw new Error("Another frame.");
          judged += frameSamples;
        }
        expect(microphone.written - judged).toBeLessThan(frameSamples);
      }
    }),
    { numRuns: 40 },
  );
});

test("the last seconds can be read again, and what is gone is left out", () => {
  const microphone = new Microphone();
  for (let round = 0; round < 25; round += 1) push(microphone, 16_000);
  const end = microphone.written;
  expect([...microphone.read(end - 5_000, end)]).toEqual(
    Array.from({ length: 5_000 }, (_, index) => value(end - 5_000 + index)),
  );
  expect(microphone.read(0, end).length).toBeLessThan(end);
  expect(microphone.read(0, end).at(-1)).toBe(value(end - 1));
});

test("a machine that falls behind loses the oldest, never the latest", () => {
  const microphone = new Microphone();
  push(microphone, 16_000 * 40);
  const frame = new Int16Array(frameSamples);
  let last = 0;
  while (microphone.next(frame)) last = frame.at(-1) ?? 0;
  expect(last).toBe(value(microphone.judged - 1));
  expect(microphone.written - microphone.judged).toBeLessThan(frameSamples);
});
