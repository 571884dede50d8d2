import { expect, test } from "vitest";
import { AudioClock } from "./audio-clock.ts";

test("late packets do not move the clock, and a lasting change does", () => {
  const clock = new AudioClock();
  let audioMs = 0;
  let state = 1;
  const late = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 80 * (state / 2 ** 32);
  };
  for (; audioMs < 5_000; audioMs += 20) {
    clock.arrived(audioMs, 1_000 + audioMs + late());
    if (audioMs > 1_000) expect(Math.abs(clock.toClock(audioMs) - (1_000 + audioMs))).toBeLessThan(15);
  }
  // The way has become 300 ms longer.
  for (; audioMs < 9_000; audioMs += 20) clock.arrived(audioMs, 1_300 + audioMs + late());
  expect(Math.abs(clock.toClock(audioMs) - (1_300 + audioMs))).toBeLessThan(15);
});

test("after a short pause too, and what came before it stays where it was", () => {
  const clock = new AudioClock();
  for (let audioMs = 0; audioMs <= 2_000; audioMs += 20) clock.arrived(audioMs, 5_000 + audioMs);
  clock.restart(2_000);
  expect(clock.toClock(2_000)).toBe(7_000);
  clock.restart(2_000);
  clock.arrived(2_020, 5_920 + 2_020);
  expect(clock.toClock(2_000)).toBe(5_920 + 2_000);
  expect(clock.toClock(1_980)).toBe(6_980);
});

test("what comes after a pause is heard after the pause", () => {
  const clock = new AudioClock();
  clock.arrived(1_000, 5_000);
  clock.arrived(1_020, 65_000);
  expect(clock.toClock(1_020)).toBe(65_000);
});
