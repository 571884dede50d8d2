import { expect, test } from "vitest";
import { Random } from "../testing/random.ts";
import { MicrophoneTrack } from "./microphone-track.ts";

const frame = 320;
const zeroMs = 1_000;

interface Line {
  seconds: number;
  /** How much faster the box's clock runs than the microphone's. */
  drift?: number;
  /** How late a frame is on its way, in milliseconds. */
  late?: (count: number, sentMs: number) => number;
}

/** Plays a microphone over a line; answers how far off every frame was placed, in milliseconds, in order. */
function play(track: MicrophoneTrack, { seconds, drift = 0, late = () => 0 }: Line, fromMs = 0) {
  const offs: { sentMs: number; offMs: number }[] = [];
  let arrivedMs = 0;
  for (let count = 0; count < (seconds * 1000) / 20; count++) {
    const sentMs = fromMs + (count + 1) * 20 * (1 + drift);
    // What was sent first arrives first.
    arrivedMs = Math.max(arrivedMs, zeroMs + sentMs + late(count, sentMs));
    const at = track.place(frame, { nowMs: arrivedMs, zeroMs });
    offs.push({ sentMs, offMs: at / 16 - (sentMs - 20) });
  }
  return offs;
}

const worst = (offs: { offMs: number }[]) => Math.max(...offs.map(({ offMs }) => Math.abs(offMs)));

test("an even line is placed to the sample, without a gap", () => {
  const offs = play(new MicrophoneTrack(), { seconds: 60 });
  expect(worst(offs)).toBeLessThan(0.1);
});

test.each([300e-6, -300e-6])("a clock that is off by %d for half an hour stays in sync", (drift) => {
  const random = new Random(5);
  const offs = play(new MicrophoneTrack(), { seconds: 1_800, drift, late: () => random.next() * 40 });
  expect(worst(offs.filter(({ sentMs }) => sentMs > 1_000))).toBeLessThan(20);
});

test("a first frame that is late misplaces nothing that follows the first second", () => {
  const offs = play(new MicrophoneTrack(), { seconds: 10, late: (count) => (count === 0 ? 60 : 2) });
  expect(worst(offs.filter(({ sentMs }) => sentMs > 1_000))).toBeLessThan(20);
});

test("a line that stood still, and then brings everything at once, misplaces nothing", () => {
  const offs = play(new MicrophoneTrack(), {
    seconds: 30,
    late: (_, sentMs) => (sentMs > 10_000 && sentMs < 15_000 ? 15_000 - sentMs : 3),
  });
  expect(worst(offs.filter(({ sentMs }) => sentMs > 1_000))).toBeLessThan(20);
});

test("after it was off, the microphone is placed anew", () => {
  const track = new MicrophoneTrack();
  expect(worst(play(track, { seconds: 5 }))).toBeLessThan(1);
  track.restart();
  expect(worst(play(track, { seconds: 5 }, 7_000))).toBeLessThan(1);
  // Nobody said so, and yet it was.
  expect(worst(play(track, { seconds: 5 }, 60_000))).toBeLessThan(1);
});

test("a pause that nobody told of is made up for within seconds", () => {
  const track = new MicrophoneTrack();
  play(track, { seconds: 5 });
  const offs = play(track, { seconds: 20 }, 9_000);
  expect(worst(offs.filter(({ sentMs }) => sentMs > 9_000 + 6_000))).toBeLessThan(20);
});
