import { paintHair } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { clamp, createRandom, mix, pointOn, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";

/** Guide curves of one side, from the hair that frames the face (u = 0) to the outline (u = 1), in face mm. */
const GUIDES: readonly (readonly Vec3[])[] = [
  [[0.4, -74, 86], [20, -82, 88], [42, -68, 82], [56, -38, 72], [62, 0, 63], [63, 36, 57], [59, 72, 54], [54, 108, 56], [58, 146, 58], [62, 190, 56], [58, 232, 52]],
  [[0.5, -92, 72], [24, -98, 76], [50, -80, 68], [66, -43, 56], [71, 0, 47], [72, 40, 42], [68, 80, 42], [67, 120, 46], [74, 160, 48], [75, 200, 48], [72, 240, 46]],
  [[0.5, -107, 50], [27, -112, 54], [57, -92, 46], [75, -49, 36], [81, 0, 28], [82, 44, 26], [81, 88, 28], [84, 130, 34], [92, 170, 38], [92, 210, 38], [86, 248, 36]],
  [[0.5, -117, 20], [30, -121, 22], [62, -101, 18], [82, -55, 10], [90, 0, 4], [93, 46, 4], [95, 92, 8], [101, 136, 14], [108, 178, 18], [106, 216, 18], [100, 252, 16]],
];

/** x of the parting for a height of root: a little off the middle, as most partings are. */
const PARTING_X = 7;

function guidePoint(u: number, t: number): Vec3 {
  const across = GUIDES.map((guide) => pointOn(guide, t));
  return pointOn(across, u);
}

interface Lock {
  side: number;
  u: number;
  spread: number;
  phase: number;
  turns: number;
  swing: number;
  tone: number;
  reach: number;
}

function strandPath(lock: Lock, q: number, jitter: number, steps: number): Vec3[] {
  const path: Vec3[] = [];
  for (let k = 0; k < steps; k++) {
    const t = (k / (steps - 1)) * lock.reach;
    const gather = mix(1, 0.4, smoothstep(0.15, 1, t));
    const u = clamp(lock.u + lock.spread * q * gather + 0.012 * jitter, -0.08, 1.06);
    const [x, y, z] = guidePoint(u, t);
    const wave = lock.swing * smoothstep(0.26, 0.62, t) * Math.sin(lock.phase + lock.turns * t * 2 * Math.PI + 0.5 * q);
    const fly = jitter * 1.1 * t;
    const px = x + wave + fly;
    path.push([lock.side * px + PARTING_X * (1 - smoothstep(0, 0.2, t)), y + 0.5 * Math.abs(wave) * 0.3, z + wave * 1.1]);
  }
  return path;
}

/** The hair behind neck and shoulders: dark, close to the ground colour, so that the face stands out. */
export function paintBackHair(target: HairCanvas): void {
  const random = createRandom(target.person.seed + 200);
  for (let k = 0; k < 2600; k++) {
    const side = random() < 0.5 ? -1 : 1;
    const across = random();
    const x0 = mix(8, 86, across);
    const phase = random() * 6.3;
    const path: Vec3[] = [];
    for (let s = 0; s < 24; s++) {
      const t = s / 23;
      path.push([side * (x0 * Math.min(1, 0.25 + 2.4 * t) + 12 * t + 3 * Math.sin(phase + 9 * t)), mix(-104, 214, t) + 0.3 * x0 * (1 - t), -30]);
    }
    const tone = 0.45 + 0.5 * random();
    paintHair(
      target,
      { path, normal: () => [side * across * 0.8, 0, 0.6], widthMm: 0.9, tone, openness: (t) => mix(0.35, 0.65, t) * mix(0.5, 1, across), opacity: 0.9, taper: 0.4 },
      0.2 * (random() - 0.5),
    );
  }
}

/** The hair in front: an opaque ground of broad dark strands, then locks from the outline inwards. */
export function paintFrontHair(target: HairCanvas): void {
  const random = createRandom(target.person.seed + 210);
  const locks: Lock[] = [];
  for (const side of [-1, 1]) {
    for (let k = 0; k < 105; k++) {
      locks.push({
        side,
        u: random(),
        spread: mix(0.035, 0.085, random()),
        phase: 1.5 * random() + side * 0.8 + 2,
        turns: mix(2.1, 2.7, random()),
        swing: mix(3.5, 8, random()),
        tone: mix(0.6, 1.3, random()),
        reach: mix(0.84, 1, random() ** 0.5),
      });
    }
  }
  locks.sort((a, b) => b.u - a.u);
  const normalOf = (lock: Lock, q: number): ((t: number) => Vec3) => {
    const azimuth = mix(0.25, 1.25, lock.u) + 0.45 * q;
    return (t) => [lock.side * Math.sin(azimuth), mix(-0.9, 0.05, smoothstep(0, 0.3, t)), Math.cos(azimuth)];
  };
  for (const side of [-1, 1]) {
    for (let k = 0; k < 420; k++) {
      const lock: Lock = { side, u: random(), spread: 0, phase: 2 + side * 0.8, turns: 2.4, swing: 3.5, tone: 0.5, reach: 0.93 };
      paintHair(
        target,
        { path: strandPath(lock, 0, random() - 0.5, 40), normal: normalOf(lock, 0), widthMm: 2.4, tone: 0.6, openness: () => 0.6, opacity: 1, taper: 0.5 },
        0,
      );
    }
  }
  for (const lock of locks) {
    const strands = 70;
    for (let k = 0; k < strands; k++) {
      const q = 2 * random() - 1;
      const jitter = (random() + random() - 1) * 1.4;
      const edge = 1 - 0.7 * Math.abs(q) ** 2.2;
      paintHair(
        target,
        {
          path: strandPath(lock, q, jitter, 54),
          normal: normalOf(lock, q),
          widthMm: mix(0.22, 0.42, random()),
          tone: lock.tone * mix(0.8, 1.2, random()),
          openness: (t) => edge * mix(0.62, 1, smoothstep(0, 0.08, t)),
          opacity: 0.72,
          taper: 0.3,
        },
        0.09 * (random() - 0.5) + 0.05 * Math.sin(lock.phase * 7),
      );
    }
  }
}
