import { beardArea } from "./skin.ts";
import { paintHair } from "./hair.ts";
import type { HairCanvas, HairStrand } from "./hair.ts";
import { clamp, createCurve, createRandom, mix, noise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import type { Person } from "./person.ts";

/** Hairline over |x|, as heights in face mm: forehead, temple recess, sideburn. */
const HAIRLINE = createCurve([
  [0, -73],
  [22, -73.5],
  [38, -71],
  [49, -63],
  [55, -46],
  [60, -30],
  [64, -6],
  [67, 12],
  [80, 22],
]);

/** The hairline of a person at x, in face mm. One that has gone back lies higher, and most of all at the temples. */
export function hairlineOf({ hair, seed }: Person, x: number): number {
  const back = hair.recession ?? 0;
  const temples = 0.35 + 0.65 * smoothstep(8, 40, Math.abs(x)) * smoothstep(66, 52, Math.abs(x));
  return HAIRLINE(Math.abs(x)) + 2.2 * noise(x / 6, 3, seed + 301) - back * temples;
}

/** 1 where the hair is long (the top of the head), 0 where it is clipped (the sides). */
const topness = (x: number, y: number): number =>
  smoothstep(-54, -76, y + 0.3 * (Math.abs(x) - 40)) * smoothstep(72, 54, Math.abs(x));

export function skullNormal(x: number, y: number): Vec3 {
  const nx = x / 78;
  const ny = (y + 25) / 98;
  return [nx, ny, Math.sqrt(Math.max(0.05, 1 - nx * nx - ny * ny))];
}

export function paintShortHair(target: HairCanvas): void {
  paintSides(target);
  paintTop(target);
}

/** Clipped sides: short single hairs that lie along the skull. */
function paintSides(target: HairCanvas): void {
  const { face, person } = target;
  const random = createRandom(person.seed + 300);
  for (let k = 0; k < 60000 * target.detail; k++) {
    // First a translucent ground, so that the scalp does not shine through, then the single hairs.
    const ground = k < 5000 * target.detail;
    const x = mix(-78, 78, random());
    const y = mix(-104, 20, random());
    const line = hairlineOf(person, x);
    if (Math.abs(x) > face.halfWidth(y) + mix(0, 4.5, smoothstep(-15, -65, y))) continue;
    const fade = mix(0.55, 1, smoothstep(14, -30, y));
    if (random() > smoothstep(line + 3, line - 5, y) * fade) continue;
    const side = x < 0 ? -1 : 1;
    const lock = noise(x / 5, y / 8, person.seed + 311);
    // Clipped hair grows down at the temples, and up where it meets the long top.
    const upwards = smoothstep(-54, -64, y) * smoothstep(62, 48, Math.abs(x));
    const down = Math.PI / 2 + side * 0.15;
    const angle = mix(down, side > 0 ? -1.2 : Math.PI * 1.35, upwards) + 0.4 * lock + 0.3 * (random() - 0.5);
    const length = mix(3, 11, smoothstep(-10, -75, y)) * mix(0.7, 1.1, random());
    const normal = skullNormal(x, y);
    const path: Vec3[] = [0, 0.33, 0.66, 1].map((t) => [
      x + Math.cos(angle) * length * t,
      y + Math.sin(angle) * length * t,
      60 * normal[2],
    ]);
    const strand: HairStrand = {
      path,
      normal: () => normal,
      widthMm: ground ? 1.5 : mix(0.17, 0.25, random()),
      tone: (ground ? 0.4 : mix(0.25, 0.65, random())) * (1 + 0.2 * lock),
      openness: () => mix(0.62, 0.5, smoothstep(-20, -70, y)),
      opacity: ground ? 0.5 * smoothstep(20, -40, y) : 0.72,
      taper: 0.3,
    };
    paintHair(target, strand, 0.1 * (random() - 0.5));
  }
}

interface Lock {
  x: number;
  y: number;
  heading: number;
  turn: number;
  length: number;
  width: number;
  tone: number;
}

/** One hair of a lock, which rises from the scalp, leans over to the picture's right and falls with the skull. */
function lockPath(
  lock: Lock,
  hair: { q: number; stray: number; reach: number; root?: readonly [number, number] },
): Vec3[] {
  const { q, stray, reach, root = [0, 0] } = hair;
  const steps = 16;
  const path: Vec3[] = [];
  // Roots lie scattered over the lock's patch of scalp, or it would start in a straight cut.
  let x = lock.x + root[0];
  let y = lock.y + root[1];
  const length = lock.length * reach;
  for (let s = 0; s < steps; s++) {
    const t = s / (steps - 1);
    const direction = lock.heading + lock.turn * smoothstep(0, 1, t * 0.92) + stray * 0.3 * t;
    // A lock is widest in its first half and gathers to a point.
    const across = q * lock.width * (0.8 + 0.7 * t) * (1 - t ** 2.4) + stray * 0.7 * t;
    path.push([
      x - Math.sin(direction) * across,
      y + Math.cos(direction) * across,
      60 + 26 * Math.sin(Math.PI * 0.75 * t),
    ]);
    x += (Math.cos(direction) * length) / (steps - 1);
    y += (Math.sin(direction) * length) / (steps - 1);
  }
  return path;
}

function paintTop(target: HairCanvas): void {
  const { face, person } = target;
  const { seed } = person;
  const random = createRandom(seed + 305);
  const locks: (Lock & { order: number })[] = [];
  while (locks.length < 520) {
    const x = mix(-60, 57, random());
    const y = mix(-112, -56, random());
    if (
      Math.abs(x) > face.halfWidth(Math.max(y, -111)) ||
      topness(x, y) < 0.3 ||
      y > hairlineOf(person, x) - 0.5
    )
      continue;
    const across = smoothstep(-52, 58, x);
    const bend = noise(x / 20, y / 14, seed + 307);
    const fullness = smoothstep(0.3, 1, topness(x, y)) * smoothstep(64, 26, x);
    locks.push({
      x,
      y,
      heading: mix(-1.95, -0.95, across) + 0.16 * bend + 0.2 * (random() - 0.5),
      turn: mix(1.75, 1.9, across) + 0.3 * bend + 0.25 * (random() - 0.5),
      length: mix(16, 46, fullness) * mix(0.75, 1.1, random()) * mix(0.66, 1, smoothstep(-112, -82, y)),
      width: mix(1, 2.4, random()),
      tone: mix(0.55, 1.35, random()),
      order: y + 9 * random(),
    });
  }
  locks.sort((a, b) => a.order - b.order);
  for (const ground of [true, false]) {
    for (const lock of locks) {
      const normal = skullNormal(lock.x, lock.y);
      const strands = ground ? 6 : Math.ceil(40 * target.detail);
      for (let k = 0; k < strands; k++) {
        const q = 2 * random() - 1;
        const stray = random() + random() - 1;
        const edge = ground ? 0.45 : 1 - 0.65 * Math.abs(q) ** 2.2;
        paintHair(
          target,
          {
            path: lockPath(lock, {
              q,
              stray,
              reach: (ground ? 0.75 : 1) * mix(0.78, 1.04, random()),
              root: [2.4 * (random() - 0.5), ground ? -2 : mix(-4, 2.2, random())],
            }),
            normal: (t) => [normal[0] * 0.8 - 0.2 * q + 0.2 * t, normal[1] - 0.5 * t + 0.15, normal[2] * 0.9],
            widthMm: ground ? 1.8 : mix(0.18, 0.32, random()),
            tone: ground ? 0.6 : lock.tone * mix(0.6, 1.4, random()),
            openness: (t) => edge * mix(0.42, 1, smoothstep(0, 0.45, t)),
            opacity: ground ? 1 : 0.84,
            taper: ground ? 0.4 : 0.25,
          },
          0.16 * (random() - 0.5),
        );
      }
    }
  }
  // Single hairs soften the hairline.
  for (let k = 0; k < 1500 * target.detail; k++) {
    const x = mix(-52, 52, random());
    const y = hairlineOf(person, x) + mix(-3, 2.5, random() ** 1.6);
    const lock: Lock = {
      x,
      y,
      heading: mix(-1.9, -0.9, smoothstep(-58, 55, x)) + 0.5 * (random() - 0.5),
      turn: 0.8,
      length: mix(5, 13, random()),
      width: 0,
      tone: 1,
    };
    const strand: HairStrand = {
      path: lockPath(lock, { q: 0, stray: random() - 0.5, reach: 1 }),
      normal: () => skullNormal(x, y),
      widthMm: 0.24,
      tone: mix(0.5, 0.9, random()),
      openness: () => 0.8,
      opacity: 0.5,
      taper: 0.2,
    };
    paintHair(target, strand, 0);
  }
}

/** Stubble: short hairs along the growth of a beard, denser on chin and lip. */
export function paintStubble(target: HairCanvas): void {
  const { face, person } = target;
  const random = createRandom(person.seed + 320);
  const count = Math.round(30000 * person.skin.stubble * target.detail);
  for (let k = 0; k < count; k++) {
    const x = mix(-74, 74, random());
    const y = mix(-5, face.shape.chinY + 1, random());
    const ax = Math.abs(x);
    const area = beardArea(face, x, y);
    if (
      ax > face.halfWidth(y) - 0.5 ||
      random() > area * (0.75 + 0.25 * noise(x / 4, y / 4, person.seed + 321))
    )
      continue;
    const side = x < 0 ? -1 : 1;
    const angle = Math.PI / 2 + side * mix(0.15, -0.5, clamp(ax / 60)) + 0.7 * (random() - 0.5);
    const length = mix(0.9, 2, random());
    const path: Vec3[] = [0, 0.5, 1].map((t) => [
      x + Math.cos(angle) * length * t,
      y + Math.sin(angle) * length * t,
      80,
    ]);
    const tone = 0.55 + 0.5 * random();
    paintHair(
      target,
      {
        path,
        normal: () => [x / 90, y / 200, 0.8],
        widthMm: 0.17,
        tone,
        openness: () => 0.75,
        opacity: 0.55,
        taper: 0.4,
      },
      0,
    );
  }
}
