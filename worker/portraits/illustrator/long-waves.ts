import { paintHair, stepsOf } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { clamp, createRandom, mix, pointOn, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import type { LongCut } from "./person.ts";

/** Guide curves of one side, from the hair that frames the face (u = 0) to the outline (u = 1), in face mm. */
const GUIDES: readonly (readonly Vec3[])[] = [
  [
    [0.4, -76, 86],
    [21, -79, 90],
    [43, -65, 86],
    [56, -38, 76],
    [62, 0, 66],
    [63, 36, 58],
    [56, 72, 56],
    [47, 108, 58],
    [52, 146, 60],
    [62, 190, 56],
    [58, 232, 52],
  ],
  [
    [0.5, -92, 66],
    [24, -98, 76],
    [50, -80, 72],
    [66, -43, 60],
    [71, 0, 49],
    [72, 40, 42],
    [65, 80, 44],
    [60, 120, 48],
    [70, 160, 50],
    [77, 200, 48],
    [72, 240, 46],
  ],
  [
    [0.5, -107, 40],
    [27, -112, 50],
    [57, -92, 50],
    [75, -49, 40],
    [82, 0, 30],
    [85, 44, 26],
    [81, 88, 30],
    [82, 130, 36],
    [94, 170, 38],
    [94, 210, 38],
    [86, 248, 36],
  ],
  [
    [0.5, -117, 10],
    [30, -121, 18],
    [62, -101, 20],
    [83, -55, 14],
    [92, 0, 6],
    [97, 46, 4],
    [95, 92, 10],
    [99, 136, 16],
    [112, 178, 18],
    [109, 216, 18],
    [100, 252, 16],
  ],
];

/** Waves to the chest, parted a little off the middle, as most hair is. */
const usual: LongCut = { reach: 1, wave: 1, turns: 1, partingX: 7, volume: 0, fringe: false };

const cutOf = ({ person }: HairCanvas): LongCut => person.hair.long ?? usual;

/** A parting is never quite straight. */
const partingBend = (y: number): number => 1.6 * Math.sin(y / 11) + 0.05 * (y + 95);

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
  /** How far the lock stands off its guide, mm outwards. */
  lift: number;
  tone: number;
  reach: number;
}

function strandPath(cut: LongCut, lock: Lock, hair: { q: number; jitter: number; steps: number }): Vec3[] {
  const { q, jitter, steps } = hair;
  const path: Vec3[] = [];
  for (let k = 0; k < steps; k++) {
    const t = (k / (steps - 1)) * lock.reach * cut.reach;
    const gather = mix(1, 0.4, smoothstep(0.15, 1, t));
    const u = clamp(lock.u + lock.spread * q * gather + 0.012 * jitter, -0.08, 1.06);
    const [x, y, z] = guidePoint(u, t);
    const wave =
      lock.swing *
      cut.wave *
      smoothstep(0.26, 0.62, t) *
      Math.sin(lock.phase + lock.turns * cut.turns * t * 2 * Math.PI + 0.5 * q);
    const fly = jitter * 1.1 * t;
    const px =
      x + wave + fly + (lock.lift + cut.volume) * smoothstep(0.03, 0.2, t) * smoothstep(0, 0.3, lock.u);
    const root = 1 - smoothstep(0, 0.2, t);
    path.push([
      lock.side * (px + 1.4 * jitter * root) + (cut.partingX + partingBend(y)) * root,
      y + 0.15 * Math.abs(wave),
      z + wave * 1.1,
    ]);
  }
  return path;
}

/** The hair behind neck and shoulders: dark, close to the ground colour, so that the face stands out. */
export function paintBackHair(target: HairCanvas): void {
  const { reach, volume } = cutOf(target);
  const random = createRandom(target.person.seed + 200);
  for (let k = 0; k < 2600 * target.detail; k++) {
    const side = random() < 0.5 ? -1 : 1;
    const across = random();
    const x0 = mix(8, 86, across);
    const phase = random() * 6.3;
    const path: Vec3[] = [];
    for (let s = 0; s < 24; s++) {
      const t = s / 23;
      path.push([
        side * (x0 * Math.min(1, 0.25 + 2.4 * t) + 12 * t + 3 * Math.sin(phase + 9 * t) + volume * t),
        mix(-104, mix(-104, 214, reach), t) + 0.3 * x0 * (1 - t),
        -30,
      ]);
    }
    const tone = 0.45 + 0.5 * random();
    paintHair(
      target,
      {
        path,
        normal: () => [side * across * 0.8, 0, 0.6],
        widthMm: 0.9,
        tone,
        openness: (t) => mix(0.35, 0.65, t) * mix(0.5, 1, across),
        opacity: 0.9,
        taper: 0.4,
      },
      0.2 * (random() - 0.5),
    );
  }
}

/** The hair in front: an opaque ground of broad dark strands, then locks from the outline inwards. */
export function paintFrontHair(target: HairCanvas): void {
  const cut = cutOf(target);
  const random = createRandom(target.person.seed + 210);
  const locks: Lock[] = [];
  for (const side of [-1, 1]) {
    for (let k = 0; k < 105; k++) {
      locks.push({
        side,
        u: random(),
        spread: mix(0.035, 0.085, random()),
        phase: 1.1 * random() + side * 0.8 + 2,
        turns: mix(2.1, 2.7, random()),
        swing: mix(4.5, 9.5, random()),
        lift: mix(-1.5, 3.2, random()),
        tone: mix(0.6, 1.3, random()),
        reach: mix(0.93, 1, random() ** 0.5),
      });
    }
  }
  locks.sort((a, b) => b.u - a.u);
  const normalOf = (lock: Lock, q: number): ((t: number) => Vec3) => {
    const azimuth = mix(0.25, 1.25, lock.u) + 0.45 * q;
    return (t) => [lock.side * Math.sin(azimuth), mix(-0.9, 0.05, smoothstep(0, 0.3, t)), Math.cos(azimuth)];
  };
  for (const side of [-1, 1]) {
    for (let k = 0; k < 420 * target.detail; k++) {
      const lock: Lock = {
        side,
        u: random(),
        spread: 0,
        phase: 2 + side * 0.8,
        turns: 2.4,
        swing: 3.5,
        lift: 0,
        tone: 0.5,
        reach: 0.98,
      };
      paintHair(
        target,
        {
          path: strandPath(cut, lock, { q: 0, jitter: random() - 0.5, steps: stepsOf(target, 40) }),
          normal: normalOf(lock, 0),
          widthMm: 2.4,
          tone: 0.6,
          openness: () => 0.6,
          opacity: 1,
          taper: 0.5,
        },
        0,
      );
    }
  }
  for (const lock of locks) {
    const strands = Math.ceil(70 * target.detail);
    for (let k = 0; k < strands; k++) {
      const q = 2 * random() - 1;
      const jitter = (random() + random() - 1) * 1.4;
      const edge = 1 - 0.7 * Math.abs(q) ** 2.2;
      paintHair(
        target,
        {
          path: strandPath(cut, lock, { q, jitter, steps: stepsOf(target, 54) }),
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
  paintFlyaways(target, random);
  paintHairline(target, random);
}

/** Fine short hairs between forehead and hair, without which the hair would sit on the face like a wig. */
function paintHairline(target: HairCanvas, random: () => number): void {
  const { partingX } = cutOf(target);
  for (let k = 0; k < 900 * target.detail; k++) {
    const side = random() < 0.5 ? -1 : 1;
    const from = 0.34 * random() ** 0.8;
    const inwards = mix(0.5, 4.5, random() ** 2);
    const depth = 0.16 * random();
    const along = mix(0.05, 0.12, random());
    const path: Vec3[] = Array.from({ length: 12 }, (_, s) => {
      const t = from + (along * s) / 11;
      const [x, y, z] = guidePoint(depth * (s / 11), t);
      const off = inwards * (1 - s / 11) ** 1.4;
      return [
        side * (x - 0.6 * off * smoothstep(0.02, 0.2, t)) + partingX * (1 - smoothstep(0, 0.2, t)),
        y + off * (1 - smoothstep(0.1, 0.34, t) * 0.6),
        z,
      ];
    });
    const strand = {
      path,
      normal: (): Vec3 => [side * 0.3, -0.2, 0.9],
      widthMm: mix(0.14, 0.24, random()),
      tone: mix(0.5, 0.9, random()),
      openness: (): number => 0.7,
      opacity: 0.55,
      taper: 1.6,
    };
    paintHair(target, strand, 0);
  }
}

/** Single hairs that stray from the outline and from the waves. */
function paintFlyaways(target: HairCanvas, random: () => number): void {
  const { partingX, reach } = cutOf(target);
  for (let k = 0; k < 260 * target.detail; k++) {
    const side = random() < 0.5 ? -1 : 1;
    const u = random() < 0.6 ? mix(0.96, 1.03, random()) : random();
    const from = 0.62 * reach * random();
    const until = from + mix(0.1, 0.3, random());
    const away = mix(1.5, 6, random() ** 2) * (random() < 0.75 ? 1 : -1);
    const path: Vec3[] = Array.from({ length: 18 }, (_, s) => {
      const t = s / 17;
      const [x, y, z] = guidePoint(u, mix(from, until, t));
      const out = away * Math.sin(Math.PI * 0.6 * t) ** 1.5;
      return [
        side * (x + out) + partingX * (1 - smoothstep(0, 0.2, mix(from, until, t))),
        y - 0.3 * Math.abs(out),
        z,
      ];
    });
    const normal: Vec3 = [side * mix(0.3, 0.9, u), -0.2, 0.6];
    const tone = mix(0.8, 1.3, random());
    paintHair(
      target,
      { path, normal: () => normal, widthMm: 0.14, tone, openness: () => 0.95, opacity: 0.5, taper: 0.2 },
      0.1 * (random() - 0.5),
    );
  }
}
