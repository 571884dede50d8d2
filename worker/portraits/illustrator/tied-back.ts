// Long hair combed back from the face and tied, with or without a bun on the crown.

import { paintHair, stepsOf } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { clamp, createCurve, createRandom, mix, noise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import { skullNormal } from "./short-swept.ts";

/** Roots along the hairline, from the middle of the forehead (0) to above the ear (1), as |x| and y in face mm. */
const ROOT_X = createCurve([
  [0, 0],
  [0.3, 24],
  [0.55, 44],
  [0.75, 57],
  [0.9, 65],
  [1, 69],
]);
const ROOT_Y = createCurve([
  [0, -75],
  [0.3, -73.5],
  [0.55, -65],
  [0.75, -46],
  [0.9, -20],
  [1, 4],
]);
/** Where the same hairs leave sight behind the outline of the head. */
const END_X = createCurve([
  [0, 0],
  [0.3, 30],
  [0.55, 54],
  [0.75, 71],
  [0.9, 78],
  [1, 78],
]);
const END_Y = createCurve([
  [0, -118],
  [0.3, -114],
  [0.55, -99],
  [0.75, -74],
  [0.9, -42],
  [1, -10],
]);

function strand(
  target: HairCanvas,
  at: { u: number; side: number; from: number; until: number; lift: number },
): Vec3[] {
  const { u, side, from, until, lift } = at;
  const bend = noise(u * 9, side, target.person.seed + 351);
  return Array.from({ length: stepsOf(target, 16) }, (_, s, steps = stepsOf(target, 16)) => {
    const t = mix(from, until, s / (steps - 1));
    // Hair leaves the forehead upwards, then bends round the skull.
    const bow = Math.sin(Math.PI * Math.max(0, t)) * (2.5 + 1.5 * bend);
    const x = mix(ROOT_X(u), END_X(u), t) + bow * u + lift * t;
    const y = mix(ROOT_Y(u), END_Y(u), t) - bow * (1 - u) - lift * t;
    return [side * x, y, 60 + 26 * (1 - t)];
  });
}

export function paintTiedBack(target: HairCanvas): void {
  const { person } = target;
  const random = createRandom(person.seed + 350);
  if (person.hair.bun) paintBun(target, random);
  for (const ground of [true, false]) {
    const count = (ground ? 3600 : 11000) * Math.max(0.4, target.detail);
    for (let k = 0; k < count; k++) {
      const side = random() < 0.5 ? -1 : 1;
      const u = random();
      const lock = noise(u * 26, side * 3, person.seed + 352);
      // Hair thins out towards the hairline: its roots lie scattered behind it.
      const from = ground ? mix(0.06, 0.3, random()) : mix(-0.04, 0.02, lock) + 0.34 * random() ** 2.5;
      const path = strand(target, {
        u: clamp(u + 0.02 * (random() - 0.5)),
        side,
        from,
        until: ground ? 0.97 : mix(0.8, 1.02, random()),
        lift: mix(-0.4, 1.2, random()),
      });
      const [mx, my] = path[path.length >> 1] ?? [0, 0];
      const normal = skullNormal(mx, my);
      paintHair(
        target,
        {
          path,
          normal: (t) => [normal[0], normal[1] - 0.35 * t, normal[2] * mix(1.1, 0.5, t)],
          widthMm: ground ? 1 : mix(0.22, 0.4, random()),
          tone: ground ? 0.75 : mix(0.75, 1.2, random()) * (1 + 0.28 * lock),
          openness: (t) => mix(0.85, 1, smoothstep(0, 0.2, t)) * mix(1, 0.78, smoothstep(0.7, 1, t)),
          opacity: ground ? 0.8 : 0.7,
          taper: 0.6,
        },
        0.1 * (random() - 0.5) + 0.04 * lock,
      );
    }
  }
  paintBabyHair(target, random);
}

/** Fine short hairs along the hairline, which no comb reaches. */
function paintBabyHair(target: HairCanvas, random: () => number): void {
  for (let k = 0; k < 1400 * Math.max(0.4, target.detail); k++) {
    const side = random() < 0.5 ? -1 : 1;
    const path = strand(target, {
      u: random(),
      side,
      from: mix(-0.07, 0.02, random()),
      until: mix(0.08, 0.2, random()),
      lift: 0,
    });
    paintHair(
      target,
      {
        path,
        normal: () => [side * 0.3, -0.3, 0.9],
        widthMm: 0.2,
        tone: mix(0.5, 0.9, random()),
        openness: () => 0.7,
        opacity: 0.45,
        taper: 1.4,
      },
      0,
    );
  }
}

/** A bun on the crown: hair wound round its middle, the outermost turns first. */
function paintBun(target: HairCanvas, random: () => number): void {
  const middle = [3, -126] as const;
  const radius = 27;
  const windings = Array.from({ length: Math.round(1500 * Math.max(0.4, target.detail)) }, () =>
    random(),
  ).sort((a, b) => b - a);
  for (const ring of windings) {
    const r = radius * Math.sqrt(ring);
    const start = 6.3 * random();
    const sweep = mix(1.2, 2.6, random());
    const tone = mix(0.6, 1.2, random());
    const path: Vec3[] = Array.from({ length: 12 }, (_, s) => {
      const angle = start + (sweep * s) / 11;
      const wound = r * (1 - 0.05 * s * 0.4) + 1.2 * Math.sin(3 * angle);
      return [middle[0] + wound * Math.cos(angle), middle[1] + 0.86 * wound * Math.sin(angle), 20];
    });
    const normal = (t: number): Vec3 => {
      const angle = start + sweep * t;
      const lean = r / radius;
      return [lean * Math.cos(angle), lean * Math.sin(angle), Math.sqrt(Math.max(0.05, 1 - lean * lean))];
    };
    paintHair(
      target,
      {
        path,
        normal,
        widthMm: mix(0.5, 1, random()),
        tone,
        openness: () => mix(0.95, 0.7, ring),
        opacity: 0.85,
        taper: 0.7,
      },
      0.1 * (random() - 0.5),
    );
  }
}
