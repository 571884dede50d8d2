import { bump, clamp, createCurve, fractalNoise, mix, smoothMax, smoothstep } from "./maths.ts";
import type { Face } from "./anatomy.ts";
import type { Person } from "./person.ts";

/** Relief of what a portrait shows besides the face, in picture millimetres (see {@link Face}). */
export interface Body {
  /** Height of neck, chest or cloth, or -Infinity outside the outline. */
  height(x: number, y: number): number;
  /** Distance below the neckline in mm: positive on cloth, negative on skin. */
  clothDepth(x: number, y: number): number;
  /** Height of an ear in face millimetres, or -Infinity outside it. */
  earHeight(x: number, y: number): number;
}

/** Width of a knitted collar, mm. */
export const COLLAR_MM = 17;

export function createBody(person: Person, face: Face): Body {
  const { neckHalfWidth: neck, shoulderHalfWidth: shoulder, cheekHalfWidth } = face.shape;
  const outline = createCurve([
    [60, neck],
    [100, neck * 0.97],
    [122, neck * 1.03],
    [138, neck * 1.25],
    [150, neck * 1.25 + 0.2 * (shoulder - neck)],
    [160, neck * 1.25 + 0.38 * (shoulder - neck)],
    [172, mix(neck, shoulder, 0.78)],
    [184, mix(neck, shoulder, 0.94)],
    [204, shoulder],
    [240, shoulder * 1.03],
  ]);
  const { neckline, neckY } = person.clothes;
  const vEdge = createCurve([
    [0, 0],
    [3, -0.5],
    [30, -27],
    [60, -56],
    [85, -84],
  ]);
  const crewEdge = (ax: number): number => -24 * (ax / neck) ** 2 - 5 * (ax / neck) ** 6;
  const edge = neckline === "v" ? vEdge : crewEdge;
  const clothDepth = (x: number, y: number): number => {
    const ax = Math.abs(x + 1.2);
    const slope = edge(ax + 1) - edge(Math.max(0, ax - 1));
    return (y - neckY - edge(ax)) / Math.hypot(1, slope / 2);
  };
  const folds = (x: number, y: number): number =>
    4.6 * fractalNoise(x / 60 + 0.012 * y, y / 34 - 0.2 * Math.abs(x) * 0.03, person.seed + 40);

  return {
    clothDepth,
    height: (x, y) => {
      if (y < 60) return -Infinity;
      const half = outline(y);
      const ax = Math.abs(x);
      if (ax >= half) return -Infinity;
      const neckHalf = neck * 1.04;
      const column = ax < neckHalf ? -14 + 52 * Math.sqrt(1 - (ax / neckHalf) ** 2.2) : -60;
      const r = ax / half;
      const grow = smoothstep(120, 205, y);
      let z = smoothMax(column, -18 + (16 + 34 * grow) * Math.sqrt(1 - r * r) + 26 * grow, 18);
      const along = clamp((y - 95) / 85);
      z +=
        3.4 *
        bump(ax - mix(neck * 0.86, 9, along), 0, mix(7, 5, along), 1) *
        smoothstep(85, 110, y) *
        (1 - smoothstep(172, 186, y));
      z += 3 * bump(0, y - (183 - 0.07 * ax), 1, 5) * smoothstep(10, 22, ax) * (1 - smoothstep(80, 120, ax));
      z -= 5 * bump(x, y - 178, 8, 8);
      z += 2.2 * bump(x, y - 132, 8, 14);
      const cloth = clothDepth(x, y);
      if (cloth > 0) {
        z += 3.2 * Math.sqrt(clamp(cloth / 3)) + folds(x, y);
        if (cloth < COLLAR_MM) z += 0.9 * Math.sin((Math.PI * cloth) / COLLAR_MM);
      }
      return z;
    },
    earHeight: (x, y) => {
      const ax = Math.abs(x);
      const lean = -0.13 * (y - 8);
      const v = (y - 9) / 29;
      if (Math.abs(v) >= 1) return -Infinity;
      const u = (ax - (cheekHalfWidth + 0.5) - lean) / (y > 20 ? 10.5 - 0.15 * (y - 20) : 10.5);
      const q = Math.sqrt(u * u + v * v);
      if (q >= 1) return -Infinity;
      const rim = Math.exp(-(((q - 0.86) / 0.11) ** 2)) * smoothstep(0.75, 0.2, v);
      const fold = Math.exp(-(((q - 0.52) / 0.13) ** 2)) * (v < 0.4 ? 1 : 0.5);
      const lobe = bump(u - 0.2, v - 0.8, 0.5, 0.22);
      return (
        1 +
        4.2 * rim +
        2.6 * fold +
        3 * lobe -
        5 * bump(u + 0.1, v - 0.05, 0.3, 0.35) +
        3 * Math.sqrt(1 - q * q)
      );
    },
  };
}
