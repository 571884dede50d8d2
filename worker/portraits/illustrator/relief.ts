import type { Body } from "./body.ts";
import type { Face } from "./anatomy.ts";
import { noise } from "./maths.ts";

export const NOTHING = 0;
export const HEAD = 1;
export const EAR = 2;
export const NECK = 3;
export const CLOTH = 4;
export const EYEBALL = 5;

/** Sight lines of a square picture: `scale` pixels a millimetre, with the pupils' midpoint at `originX`, `originY`. */
export interface View {
  readonly size: number;
  readonly scale: number;
  readonly originX: number;
  readonly originY: number;
}

/** Per-pixel geometry of the portrait, row by row. Heights and positions are in millimetres. */
export interface Relief {
  view: View;
  z: Float32Array;
  material: Uint8Array;
  faceX: Float32Array;
  faceY: Float32Array;
  /** Unit normals, three floats a pixel. */
  normal: Float32Array;
}

export function createView(size: number): View {
  return { size, scale: (size * 2.92) / 1024, originX: size * 0.5, originY: size * 0.435 };
}

export const toMm = (view: View, px: number, py: number): [number, number] => [
  (px - view.originX) / view.scale,
  (py - view.originY) / view.scale,
];

export const toPixel = (view: View, x: number, y: number): [number, number] => [
  x * view.scale + view.originX,
  y * view.scale + view.originY,
];

export function traceRelief(view: View, face: Face, body: Body): Relief {
  const { size } = view;
  const count = size * size;
  const relief: Relief = {
    view,
    z: new Float32Array(count).fill(-120),
    material: new Uint8Array(count),
    faceX: new Float32Array(count),
    faceY: new Float32Array(count),
    normal: new Float32Array(3 * count),
  };
  const reach = face.shape.cheekHalfWidth + 26;
  for (let py = 0; py < size; py++) {
    for (let px = 0; px < size; px++) {
      const i = py * size + px;
      const [x, y] = toMm(view, px + 0.5, py + 0.5);
      const [fx, fy] = face.toFace(x, y);
      relief.faceX[i] = fx;
      relief.faceY[i] = fy;
      if (Math.abs(fx) < reach && fy > -115 && fy < face.shape.chinY + 2) {
        const head = face.height(fx, fy);
        if (head > -Infinity) {
          relief.z[i] = head + texture(fx, fy);
          relief.material[i] = isOpenEye(face, fx, fy) ? EYEBALL : HEAD;
          continue;
        }
        const ear = body.earHeight(fx, fy);
        if (ear > -Infinity) {
          relief.z[i] = ear;
          relief.material[i] = EAR;
          continue;
        }
      }
      const z = body.height(x, y);
      if (z > -Infinity) {
        const isCloth = body.clothDepth(x, y) > 0;
        relief.z[i] = isCloth ? z : z + texture(fx, fy);
        relief.material[i] = isCloth ? CLOTH : NECK;
      }
    }
  }
  computeNormals(relief);
  return relief;
}

/** Pores and fine creases of the skin, mm. */
function texture(x: number, y: number): number {
  return 0.03 * noise(x / 0.62, y / 0.62, 3) + 0.045 * noise(x / 1.5, y / 1.3, 4);
}

export function isOpenEye(face: Face, x: number, y: number): boolean {
  const ax = Math.abs(x);
  const { eye } = face;
  return ax > eye.innerX && ax < eye.outerX && y > eye.upper(ax) && y < eye.lower(ax);
}

/** Normals by differences inside one layer: a step from head to neck is an edge and no slope. */
function computeNormals(relief: Relief): void {
  const { z, material, normal, view } = relief;
  const { size, scale } = view;
  const layer = (i: number): number => {
    const m = material[i]!;
    return m === EYEBALL ? HEAD : m === CLOTH ? NECK : m;
  };
  const slope = (i: number, before: number, after: number): number => {
    const own = layer(i);
    const hasBefore = before >= 0 && layer(before) === own;
    const hasAfter = after >= 0 && layer(after) === own;
    const a = hasBefore ? z[before]! : z[i]!;
    const b = hasAfter ? z[after]! : z[i]!;
    const span = (hasBefore ? 1 : 0) + (hasAfter ? 1 : 0);
    return span === 0 ? 0 : ((b - a) / span) * scale;
  };
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const i = y * size + x;
      if (material[i] === NOTHING) continue;
      const dx = slope(i, x > 0 ? i - 1 : -1, x < size - 1 ? i + 1 : -1);
      const dy = slope(i, y > 0 ? i - size : -1, y < size - 1 ? i + size : -1);
      const length = Math.hypot(dx, dy, 1);
      normal[3 * i] = -dx / length;
      normal[3 * i + 1] = -dy / length;
      normal[3 * i + 2] = 1 / length;
    }
  }
}
