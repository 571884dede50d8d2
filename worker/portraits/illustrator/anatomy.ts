import { bump, clamp, createCurve, mix, noise, smoothMax, smoothstep } from "./maths.ts";
import type { FaceShape, Person } from "./person.ts";

/**
 * Relief of a face seen from the front, in millimetres: x to the picture's right and y down from the point between the
 * pupils, z towards the viewer from the plane of the ears. Distances follow Farkas, "Anthropometry of the Head and
 * Face" (1994).
 */
export interface Face {
  shape: FaceShape;
  /** Height of the surface, or -Infinity outside the head's outline. */
  height(x: number, y: number): number;
  /** Half width of the head's outline at a height. */
  halfWidth(y: number): number;
  /** Picture millimetres to face millimetres: undoes the head's roll and its slight asymmetry. */
  toFace(x: number, y: number): [number, number];
  fromFace(x: number, y: number): [number, number];
  lips: Lips;
  eye: Eye;
  nose: { baseY: number; alaX: number };
}

/** Curves of the closed mouth over |x|: border of the upper lip, the line between the lips, border of the lower lip. */
export interface Lips {
  lineY: number;
  upper(ax: number): number;
  line(ax: number): number;
  lower(ax: number): number;
}

/** Curves of the open eye over |x|, and where it begins and ends. */
export interface Eye {
  innerX: number;
  outerX: number;
  upper(ax: number): number;
  lower(ax: number): number;
  crease(ax: number): number;
  pupil: readonly [number, number];
}

const TOP_Y = -112;
const PIVOT_Y = 110;

function createLips(shape: FaceShape): Lips {
  const half = shape.mouthHalfWidth;
  const lineY = shape.noseLength + 23.5;
  const top = createCurve([
    [0, 0.83],
    [0.1, 0.9],
    [0.21, 1],
    [0.34, 0.93],
    [0.6, 0.62],
    [0.85, 0.24],
    [1, 0],
  ]);
  const bottom = createCurve([
    [0, 1],
    [0.2, 0.985],
    [0.4, 0.88],
    [0.65, 0.6],
    [0.86, 0.25],
    [1, 0],
  ]);
  const line = createCurve([
    [0, 0.3],
    [0.12, 0.17],
    [0.3, -0.12],
    [0.6, -0.3],
    [0.85, -1],
    [1, -1.9],
  ]);
  const smile = shape.smile ?? 0;
  const at = (ax: number): number => clamp(ax / half);
  const lineOf = (ax: number): number => lineY + line(at(ax)) - smile * at(ax) ** 2.4;
  return {
    lineY,
    line: lineOf,
    upper: (ax) => mix(lineY, lineOf(ax), at(ax)) - shape.upperLip * top(at(ax)),
    lower: (ax) => mix(lineY, lineOf(ax), at(ax)) + shape.lowerLip * bottom(at(ax)),
  };
}

/** Height of the line between the corners of an eye: the outer one lies about 2 mm above the inner. */
const corner = (u: number, tilt: number): number => mix(1.5, -0.9, u) - tilt * (u - 0.3);

const arch = (u: number, skew: number, power: number): number => (4 * u ** skew * (1 - u ** skew)) ** power;

function createEye(shape: FaceShape): Eye {
  const tilt = shape.eyeTilt ?? 0;
  const innerX = shape.pupilX - shape.eyeHalfWidth;
  const outerX = shape.pupilX + shape.eyeHalfWidth;
  const along = (ax: number): number => clamp((ax - innerX) / (outerX - innerX));
  const upper = (ax: number): number => {
    const u = along(ax);
    return corner(u, tilt) - (shape.upperOpening + 0.4) * arch(u, 0.88, 0.72);
  };
  const lower = (ax: number): number => {
    const u = along(ax);
    return corner(u, tilt) + (shape.lowerOpening - 0.3) * arch(u, 1.22, 0.85);
  };
  return {
    innerX,
    outerX,
    upper,
    lower,
    crease: (ax) => {
      const u = clamp((ax - innerX) / (outerX - innerX), -0.1, 1.2);
      return (
        mix(0.6, -1.8, u) -
        tilt * (u - 0.3) -
        (shape.upperOpening + shape.creaseGap) * clamp(4 * (0.12 + 0.8 * u) * (1 - (0.12 + 0.8 * u))) ** 0.62
      );
    },
    pupil: [shape.pupilX, 0.1],
  };
}

export function createFace(person: Person): Face {
  const shape = person.face;
  const lips = createLips(shape);
  const eye = createEye(shape);
  const noseBaseY = shape.noseLength;
  const tipY = noseBaseY - 10;
  const alaX = 12.5 * shape.noseWidth;

  const sides = createCurve([
    [-112, 70],
    [-60, 71],
    [-20, shape.cheekHalfWidth + 2.5],
    [12, shape.cheekHalfWidth],
    [45, mix(shape.cheekHalfWidth, shape.jawHalfWidth, 0.5)],
    [70, shape.jawHalfWidth],
    [90, shape.jawHalfWidth - 12],
    [112, shape.jawHalfWidth - 22],
  ]);
  const halfWidth = (y: number): number => {
    if (y <= TOP_Y || y >= shape.chinY) return 0;
    let close = 1;
    if (y < -25) close = Math.sqrt(1 - ((-25 - y) / (-25 - TOP_Y)) ** 2.2);
    if (y > 55)
      close =
        (1 - ((y - 55) / (shape.chinY - 55)) ** mix(2.1, 3, shape.chinSquareness)) **
        mix(0.56, 0.5, shape.chinSquareness);
    return sides(y) * close;
  };
  const profile = createCurve([
    [TOP_Y, 5],
    [-100, 50],
    [-80, 78],
    [-60, 91],
    [-40, 97],
    [-18, 98],
    [0, 91],
    [22, 91.5],
    [45, 95.5],
    [64, 97],
    [82, 94],
    [shape.chinY - 12, 96],
    [shape.chinY - 4, 91],
    [shape.chinY, 72],
  ]);
  const silhouetteDepth = createCurve([
    [-112, 0],
    [10, 5],
    [60, 22],
    [90, 50],
    [shape.chinY, 70],
  ]);
  const bridge = createCurve([
    [-26, 0],
    [-18, 0.3],
    [-5, 3.2],
    [8, 8],
    [tipY - 7, 15.5],
    [tipY, 16.5],
    [tipY + 6, 10],
    [noseBaseY, 3.4],
    [noseBaseY + 5, 0.5],
    [noseBaseY + 10, 0],
    [noseBaseY + 11, 0],
  ]);
  const bridgeWidth = createCurve([
    [-16, 9],
    [-2, 6.2],
    [10, 6.4],
    [tipY - 5, 6.8],
    [tipY, 7.5],
    [noseBaseY, 6],
  ]);

  const nose = (x: number, y: number, ax: number, skin: number): number => {
    const h = bridge(y) * shape.noseHeight;
    let z = skin;
    if (h > 0) {
      const s = bridgeWidth(y) * shape.noseWidth;
      z += h * (0.56 * Math.exp(-((ax / s) ** 2.1)) + 0.44 * Math.exp(-((ax / (2.15 * s)) ** 2)));
    }
    const tip = (x / (11.5 * shape.noseWidth)) ** 2 + ((y - tipY - 1) / 10.5) ** 2;
    if (tip < 1) z = smoothMax(z, skin + 1 + 18.5 * shape.noseHeight * (1 - tip) ** 1.1, 10);
    z += 3 * bump(x, y - noseBaseY + 1, 3, 3);
    const q =
      ((ax - alaX * 0.92) / (6.1 * shape.noseWidth)) ** 2 +
      ((y - (noseBaseY - 7) - 0.12 * (ax - alaX)) / 7.2) ** 2;
    if (q < 1) z = smoothMax(z, skin - 3 + 13 * Math.sqrt(1 - q), 4.5);
    // The nostril opens downwards: a slanting hollow under the wing.
    const nx = ax - 6.6 * shape.noseWidth;
    z -= 5 * bump(nx, y - (noseBaseY - 1.6) + 0.22 * nx, 3.2 * shape.noseWidth, 1.6);
    return z;
  };

  const mouth = (x: number, y: number, ax: number): number => {
    const half = shape.mouthHalfWidth;
    let z = -1.1 * bump(ax - half - 2, y - lips.lineY - 0.5, 3.4, 5);
    z -= 1.1 * bump(x, y - (noseBaseY + 10), 2.6, 5) - 0.6 * bump(ax - 4.8, y - (noseBaseY + 11), 2.2, 5);
    if (ax >= half) return z;
    const side = (1 - (ax / half) ** 2) ** 0.6 * shape.lipVolume;
    const line = lips.line(ax);
    const upper = lips.upper(ax);
    const lower = lips.lower(ax);
    if (y <= line) {
      const v = clamp((y - (upper - 1.5)) / (line - upper + 1.5));
      z +=
        side *
        (3.7 * Math.sin(Math.PI * 0.5 * v ** 0.9) * (1 - v ** 7) ** 0.7 +
          0.9 * bump(x, y - line + 2.6, 4, 2));
      z += side * 0.25 * bump(0, y - upper, 1, 0.9);
    } else {
      const v = clamp((y - line) / (lower + 1 - line));
      z += side * 5.2 * (1 - (1 - Math.min(1, v * 2.1)) ** 2.4) ** 0.8 * (1 - v ** 2.2);
      z += side * 0.5 * bump(ax - 7, y - (line + 5), 4, 3);
    }
    return z;
  };

  const eyeArea = (ax: number, y: number, skin: number): number => {
    const dx = ax - shape.pupilX;
    if (Math.abs(dx) > 48 || Math.abs(y) > 40) return skin;
    let z = skin - 8.5 * bump(dx + 2, y + 1, 13, 10.5) - 3 * bump(ax - 15, y + 3, 6, 8);
    // The lids lie on a ball of 14 mm; past 11 mm it goes on as a cone, so that its edge never shows.
    const radius = 14.2;
    const d = Math.hypot(dx * 0.94, y * 1.02);
    const cap = Math.min(d, 11);
    const drop = radius - Math.sqrt(radius * radius - cap * cap) + 1.22 * (d - cap);
    z = smoothMax(z, 79.8 - 0.82 * drop, 5);
    if (ax > eye.innerX - 4 && ax < eye.outerX + 6) {
      const fade =
        smoothstep(eye.innerX - 4, eye.innerX + 3, ax) * (1 - smoothstep(eye.outerX - 1, eye.outerX + 6, ax));
      const fromCrease = y - eye.crease(ax);
      z -= fade * 1.5 * Math.exp(-((fromCrease / 1.1) ** 2));
      z += fade * 1.3 * bump(0, fromCrease + 3.2, 1, 2.4);
      const fromLower = y - eye.lower(ax);
      z += fade * 0.5 * bump(0, fromLower - 1.2, 1, 0.9);
      z -= fade * 0.5 * bump(0, fromLower - 4.2, 1, 1.3);
    }
    return z;
  };

  const height = (x: number, y: number): number => {
    const half = halfWidth(y);
    const ax = Math.abs(x);
    if (ax >= half) return -Infinity;
    const r = ax / half;
    const depth = silhouetteDepth(y);
    let z = depth + (profile(y) - depth) * Math.sqrt(1 - r ** 2.35);
    z +=
      shape.browRidge * bump(ax - 24, y + 19 - 0.08 * (ax - 24), 15, 5) +
      shape.browRidge * 0.5 * bump(x, y + 15, 9, 5);
    z +=
      shape.cheekbone * bump(ax - 45, y - 26 + 0.25 * (ax - 45), 15, 10) +
      2.6 * bump(ax - 33, y - 33, 12, 11);
    z -= 2.8 * bump(ax - 48, y - 58, 9, 15) + 2 * bump(ax - 62, y + 28, 9, 16);
    z -= 3.2 * bump(x, y - (lips.lineY + shape.lowerLip + 6.5), 15, 4.2);
    z += 4.2 * bump(x, y - (shape.chinY - 13), mix(9, 14, shape.chinSquareness), 8);
    z += 2.6 * bump(x, y - lips.lineY, 17, 12);
    z -=
      1.3 * bump(ax - 25 - 0.5 * (y - 52), (y - 52) * 0.5, 1.9, 7) -
      1.1 * bump(ax - 31 - 0.4 * (y - 50), y - 48, 5, 12);
    z -= 0.9 * bump(y - 12 - 0.35 * (ax - 24), ax - 24, 2.4, 10);
    z = eyeArea(ax, y, z);
    z = nose(x, y, ax, z);
    return z + mouth(x, y, ax);
  };

  const cos = Math.cos(person.tilt);
  const sin = Math.sin(person.tilt);
  const sway = (y: number): number => 0.9 * noise(y / 45, 0.5, person.seed);
  const lift = (x: number): number => 0.8 * noise(x / 38, 9.5, person.seed + 3);
  return {
    shape,
    height,
    halfWidth,
    lips,
    eye,
    nose: { baseY: noseBaseY, alaX },
    toFace: (x, y) => {
      const dy = y - PIVOT_Y;
      const fx = x * cos + dy * sin;
      const fy = PIVOT_Y - x * sin + dy * cos;
      return [fx - sway(fy), fy - lift(fx)];
    },
    fromFace: (x, y) => {
      const fx = x + sway(y);
      const dy = y + lift(x) - PIVOT_Y;
      return [fx * cos - dy * sin, PIVOT_Y + fx * sin + dy * cos];
    },
  };
}
