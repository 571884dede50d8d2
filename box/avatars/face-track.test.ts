import { expect, test } from "vitest";
import { AvatarError } from "./errors.ts";
import { LANDMARK_COUNT, MESH, type Landmarks } from "./face-mesh.ts";
import { checkTurns, completeTrack, LONGEST_GAP, momentOf, smoothTrack } from "./face-track.ts";

const row = LANDMARK_COUNT * 3;
const at = (value: number): Landmarks => new Float32Array(row).fill(value);

function refusal(work: () => unknown): AvatarError {
  try {
    work();
  } catch (error) {
    if (error instanceof AvatarError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

test("short gaps are bridged, at the ends by what is next to them", () => {
  const found = [null, at(2), at(4), null, null, null, at(12), null];
  expect(completeTrack(found, 25).map((landmarks) => landmarks[7])).toEqual([2, 2, 4, 6, 8, 10, 12, 12]);
});

test("a face that is gone for longer is missed, and the sentence says when", () => {
  const gone = Array.from({ length: LONGEST_GAP + 1 }, () => null);
  const before = Array.from({ length: 30 }, () => at(1));
  expect(completeTrack([...before, ...gone.slice(1), at(1)], 25)).toHaveLength(30 + LONGEST_GAP + 1);
  const error = refusal(() => completeTrack([...before, ...gone, at(1)], 25));
  expect(error.code).toBe("no_face");
  expect(error.message).toContain("after 1.2 seconds");
  expect(refusal(() => completeTrack([null, null], 25)).code).toBe("no_face");
});

test("trembling is taken out, and a movement keeps its height", () => {
  const parabola = Array.from({ length: 21 }, (_, frame) => at((frame - 10) ** 2));
  const trembling = parabola.map((landmarks, frame) =>
    landmarks.map((value) => value + (frame % 2 ? 1 : -1)),
  );
  const [still, trembled] = [smoothTrack(parabola), smoothTrack(trembling)];
  for (let frame = 2; frame < 19; frame += 1) {
    expect(still[frame * row + 5]).toBeCloseTo((frame - 10) ** 2, 3);
    expect(Math.abs((trembled[frame * row + 5] ?? 0) - (frame - 10) ** 2)).toBeLessThan(0.5);
  }
  expect(still).toHaveLength(21 * row);
});

/** A face seen from the front, or with one cheek far nearer than the other. */
function face(turned: boolean): Landmarks {
  const landmarks = at(0);
  const put = (index: number, x: number, y: number, z = 0) => landmarks.set([x, y, z], index * 3);
  put(MESH.foreheadTop, 100, 0);
  put(MESH.chin, 100, 200);
  put(MESH.rightCheek, 20, 100, turned ? -80 : 0);
  put(MESH.leftCheek, 180, 100, turned ? 80 : 0);
  put(MESH.rightIris, 60, 80);
  put(MESH.leftIris, 140, 80);
  return landmarks;
}

test("looking away for a moment is allowed, for longer it is not", () => {
  const frames = (turned: boolean, count: number) => Array.from({ length: count }, () => face(turned));
  expect(() =>
    checkTurns([...frames(false, 10), ...frames(true, LONGEST_GAP), ...frames(false, 10)], 25),
  ).not.toThrow();
  const error = refusal(() => checkTurns([...frames(false, 50), ...frames(true, LONGEST_GAP + 1)], 25));
  expect(error.code).toBe("face_turned_away");
  expect(error.message).toContain("after 2.0 seconds");
  expect(momentOf(0)).toBe("at the beginning");
});
