import type { Face } from "./anatomy.ts";
import type { Rgb } from "./canvas.ts";
import { browShade } from "./brows.ts";
import { lineDepth } from "./lines.ts";
import { bump, clamp, fractalNoise, hash, mix, noise, smoothstep } from "./maths.ts";
import type { Person } from "./person.ts";

/** What the skin's own colour and finish are at one point of the face. */
export interface SkinPoint {
  albedo: Rgb;
  /** Strength of the oily highlight, 0 to about 1. */
  gloss: number;
  /** How much of a lip the point is, 0 to 1. */
  lip: number;
}

function lipAmount(face: Face, x: number, y: number): number {
  const ax = Math.abs(x);
  if (ax > face.shape.mouthHalfWidth + 1) return 0;
  const soft = 1.05;
  const inside = Math.min(y - face.lips.upper(ax), face.lips.lower(ax) - y);
  return (
    smoothstep(-soft, soft, inside) *
    (1 - smoothstep(face.shape.mouthHalfWidth - 2.5, face.shape.mouthHalfWidth + 0.5, ax))
  );
}

/** Freckles and small moles: at most one dot in each cell of a lattice, thinning out away from nose and cheeks. */
function freckle(person: Person, x: number, y: number): number {
  const cell = 3.1;
  let dark = 0;
  const cx = Math.floor(x / cell);
  const cy = Math.floor(y / cell);
  for (let j = -1; j <= 1; j++) {
    for (let i = -1; i <= 1; i++) {
      const seed = person.seed + 70;
      const where = bump(cx * cell, (cy + j) * cell - 22, 40, 18);
      if (hash(cx + i, cy + j, seed) > person.skin.freckles * (0.08 + where)) continue;
      const dx = x - (cx + i + hash(cx + i, cy + j, seed + 1)) * cell;
      const dy = y - (cy + j + hash(cx + i, cy + j, seed + 2)) * cell;
      const r = 0.28 + 0.34 * hash(cx + i, cy + j, seed + 3);
      dark = Math.max(dark, bump(dx, dy, r, r) * (0.3 + 0.7 * hash(cx + i, cy + j, seed + 4)));
    }
  }
  return dark;
}

/** Density of the beard at a point of the face, 0 to 1. */
export function beardArea(face: Face, x: number, y: number): number {
  const ax = Math.abs(x);
  const { lips, shape, nose } = face;
  const cheekLine = mix(62, -6, smoothstep(24, 66, ax)) + 5 * smoothstep(30, 12, ax);
  const cheeks = smoothstep(cheekLine - 7, cheekLine + 17, y);
  const moustache =
    smoothstep(nose.baseY + 3, nose.baseY + 8, y) * (1 - smoothstep(26, 36, ax)) * smoothstep(0.5, 3.5, ax);
  const mouth =
    1 -
    smoothstep(-0.5, 1, Math.min(y - lips.upper(ax) + 1, lips.lower(ax) + 1.8 - y)) *
      (ax < shape.mouthHalfWidth + 1 ? 1 : 0);
  const sideOfLip = 1 - 0.75 * bump(ax - 14, y - (lips.lineY + shape.lowerLip + 2), 6, 4);
  return Math.max(cheeks, moustache) * mouth * sideOfLip;
}

export function skinAt(person: Person, face: Face, x: number, y: number): SkinPoint {
  const { skin, seed } = person;
  const ax = Math.abs(x);
  const { nose, shape, eye } = face;
  const lip = lipAmount(face, x, y);

  const blood =
    skin.blush *
    (0.23 * bump(ax - 43, y - 31, 17, 14) +
      0.15 * bump(x, y - (nose.baseY - 9), 9, 7) +
      0.22 * bump(ax - nose.alaX - 3, y - (nose.baseY - 3), 5, 6) +
      0.14 * bump(x, y - (shape.chinY - 12), 14, 9) +
      0.16 * bump(ax - 31, y + 7, 15, 5) +
      0.4 * smoothstep(shape.cheekHalfWidth, shape.cheekHalfWidth + 6, ax) * bump(0, y - 8, 1, 34) +
      0.07) *
    (1 + 0.35 * fractalNoise(x / 9, y / 9, seed + 50));
  const mottle =
    1 + 0.045 * fractalNoise(x / 14, y / 14, seed + 51) + 0.03 * noise(x / 2.1, y / 2.1, seed + 52);
  const grain = 1 + 0.035 * noise(x / 0.55, y / 0.55, seed + 53);
  const tired = 0.2 * bump(ax - 28, y - 10.5, 11, 3.6) + 0.2 * bump(ax - 17, y - 2, 4.5, 7);
  const lid = 0.18 * bump(ax - 31, y + 6.5, 14, 3.5);
  const beard = skin.stubble * beardArea(face, x, y) * (0.75 + 0.25 * noise(x / 5, y / 5, seed + 54));
  const speck = freckle(person, x, y);
  const brow = browShade(person, face, x, y);
  const fissure = Math.min(y - eye.upper(ax), eye.lower(ax) - y);
  const lidEdge = ax > eye.innerX - 1 && ax < eye.outerX + 1 ? smoothstep(-1.9, -0.3, fissure) : 0;
  const lash =
    ax > eye.innerX + 2 && ax < eye.outerX + 1.5
      ? smoothstep(-1.6, -0.4, y - eye.upper(ax)) * (y < eye.lower(ax) ? 1 : 0)
      : 0;
  const caruncle = bump(ax - eye.innerX, y - 1.3, 1.8, 1.6);
  const nostril = bump(
    ax - 6.6 * shape.noseWidth,
    y - (nose.baseY - 1.3) + 0.22 * (ax - 6.6 * shape.noseWidth),
    2.5 * shape.noseWidth,
    1.1,
  );
  const lineDistance = y - face.lips.line(ax);
  const seam =
    Math.exp(-((lineDistance / 0.55) ** 2)) *
      (1 - smoothstep(shape.mouthHalfWidth - 5, shape.mouthHalfWidth + 1.4, ax)) +
    0.25 * bump(ax - shape.mouthHalfWidth, lineDistance, 1.8, 1.2);
  const wrinkles = 0.09 * noise(x / 0.75 + 0.3 * noise(x / 3, y / 3, seed + 61), y / 6, seed + 60);
  const under = lineDistance < 0 ? 0.92 : 1;
  const line = skin.lines ? skin.lines * lineDepth(face, seed, x, y) : 0;

  const albedo = [0, 1, 2].map((c) => {
    let value = mix(skin.base[c]!, skin.blood[c]!, clamp(blood)) * mottle * grain;
    value *= 1 - line * (c === 0 ? 0.26 : 0.36);
    value *= 1 - tired * (c === 0 ? 0.45 : 0.8) - lid * (c === 0 ? 0.5 : 0.85);
    value *= 1 - speck * (c === 0 ? 0.15 : c === 1 ? 0.25 : 0.32);
    value = mix(value, person.brows.colour[c]! * 1.6, 0.5 * brow);
    value *= 1 - beard * (c === 2 ? 0.22 : 0.3);
    value = mix(value, skin.lips[c]! * under * (1 + wrinkles), lip * 0.92);
    value = mix(value, skin.blood[c]! * 0.8, caruncle * 0.6);
    value *= 1 - 0.22 * lidEdge * (c === 0 ? 0.6 : 1);
    value *= 1 - 0.72 * lash;
    value *= 1 - 0.9 * nostril * (c === 0 ? 0.9 : 1);
    return value * (1 - 0.92 * clamp(seam) * (c === 0 ? 0.88 : 1));
  }) as unknown as Rgb;

  const oil =
    0.34 +
    0.45 * bump(x, y - (nose.baseY - 12), 9, 12) +
    0.25 * bump(x, y + 45, 34, 22) +
    0.22 * bump(ax - 42, y - 22, 14, 9) +
    0.2 * bump(x, y - (shape.chinY - 12), 10, 7);
  const pores = 0.75 + 0.25 * noise(x / 0.9, y / 0.9, seed + 55);
  const gloss =
    mix(oil * pores * skin.shine, 0.72 * skin.shine ** 2 + 2 * wrinkles, lip) *
    (1 - clamp(seam)) *
    (1 - nostril) *
    (1 - 0.5 * beard);
  return { albedo, gloss, lip };
}
