// A face cut out upright and always at the same place, as a network that compares faces wants it.

import { MESH, point, type Landmarks } from "./face-mesh.ts";
import type { Picture } from "../media/picture.ts";
import { openPicture } from "./photo.ts";

/** Side of the cut in face heights; little of hair and clothes is in it, for they are not the person. */
const HEIGHTS = 1.25;
/** Room above the forehead, in sides, that is taken from below the chin. */
const LIFT = 0.03;
/** The mean and the spread of brightness that every cut is brought to: light is not the person either. */
const MEAN = 120;
const SPREAD = 55;

/** Interleaved RGB of 0..255. */
export async function cutFace(picture: Picture, landmarks: Landmarks, side: number): Promise<Float32Array> {
  const forehead = point(landmarks, MESH.foreheadTop);
  const chin = point(landmarks, MESH.chin);
  const right = point(landmarks, MESH.rightIris);
  const left = point(landmarks, MESH.leftIris);
  const reach = Math.hypot(chin.x - forehead.x, chin.y - forehead.y) * HEIGHTS;
  // Reduced first, so that one look a pixel is enough.
  const scale = Math.min(1, side / reach);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const rgb =
    scale === 1
      ? picture.rgb
      : await openPicture(picture).resize(width, height, { fit: "fill" }).raw().toBuffer();
  const turn = Math.atan2(left.y - right.y, left.x - right.x);
  const step = (reach * scale) / side;
  const across = { x: Math.cos(turn) * step, y: Math.sin(turn) * step };
  const middle = {
    x: ((forehead.x + chin.x) / 2) * scale,
    y: ((forehead.y + chin.y) / 2) * scale,
  };
  const cut = new Float32Array(side * side * 3);
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const u = column + 0.5 - side / 2;
      const v = row + 0.5 - side * (0.5 + LIFT);
      const x = inside(middle.x + u * across.x - v * across.y - 0.5, width);
      const y = inside(middle.y + u * across.y + v * across.x - 0.5, height);
      blend({ rgb, width }, x, y, cut, (row * side + column) * 3);
    }
  }
  return evenLight(cut);
}

/** Beyond the edge of a picture its edge goes on. */
function inside(value: number, length: number): number {
  return Math.max(0, Math.min(length - 1, value));
}

/** The colour between four pixels. */
function blend(
  { rgb, width }: { rgb: Uint8Array; width: number },
  x: number,
  y: number,
  out: Float32Array,
  to: number,
): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [x - left, y - top];
  const at = (top * width + left) * 3;
  const next = right > 0 ? 3 : 0;
  const below = down > 0 ? width * 3 : 0;
  for (let channel = 0; channel < 3; channel += 1) {
    const from = at + channel;
    const above = (rgb[from] ?? 0) * (1 - right) + (rgb[from + next] ?? 0) * right;
    const under = (rgb[from + below] ?? 0) * (1 - right) + (rgb[from + below + next] ?? 0) * right;
    out[to + channel] = above * (1 - down) + under * down;
  }
}

function evenLight(cut: Float32Array): Float32Array {
  const pixels = cut.length / 3;
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < cut.length; at += 3) {
    const light = 0.299 * (cut[at] ?? 0) + 0.587 * (cut[at + 1] ?? 0) + 0.114 * (cut[at + 2] ?? 0);
    sum += light;
    squares += light * light;
  }
  const mean = sum / pixels;
  const gain = SPREAD / Math.max(1, Math.sqrt(squares / pixels - mean * mean));
  return cut.map((value) => Math.max(0, Math.min(255, (value - mean) * gain + MEAN)));
}
