// The default generator: the photograph itself, framed as a person who sits before a camera. It changes nobody's clothes, so
// notes and looks are for other generators.

import sharp from "sharp";
import type { Crop } from "../avatars/framing.ts";
import type { FaceGeometry } from "../avatars/face-mesh.ts";
import type { Picture } from "../media/picture.ts";
import { openPicture } from "../avatars/photo.ts";
import type { StillGenerator } from "./generator.ts";

/** Side of a still. */
const SIDE = 1_024;
/** Of the square, in face heights, and where in it the middle of the face lies: as people sit before a camera. */
const HEIGHTS = 2.7;
const CENTRE = 0.42;
/** Less than this cuts into hair. */
const LEAST_HEIGHTS = 1.4;
/** How much of the square's width may be made up. */
const MOST_MADE_UP = 0.24;
/** A body that the photograph cuts off cannot be made up, so the face may move down as far as this. */
const LOWEST_CENTRE = 0.55;
/** How softly the photograph goes over into what is made up around it, in sides. */
const FEATHER = 0.045;

/**
 * The square to show. It reaches outside the picture at the top and the sides, where there is only wall to make up; at the
 * bottom it ends with the picture wherever that leaves the head whole.
 */
export function frameSeated(picture: { width: number; height: number }, geometry: FaceGeometry): Crop {
  const { centre, heightPx } = geometry;
  const below = Math.max(0, picture.height - centre.y);
  const most = Math.min(
    HEIGHTS * heightPx,
    below / (1 - LOWEST_CENTRE),
    Math.min(picture.width, picture.height) / (1 - MOST_MADE_UP),
  );
  const side = Math.round(Math.max(LEAST_HEIGHTS * heightPx, most));
  const share = Math.min(LOWEST_CENTRE, Math.max(CENTRE, 1 - below / side));
  return { left: Math.round(centre.x - side / 2), top: Math.round(centre.y - side * share), side };
}

/** Cuts the square out; where it leaves the picture, its edges go on, more and more blurred. */
export async function seat(picture: Picture, crop: Crop): Promise<Buffer> {
  const left = Math.max(0, crop.left);
  const top = Math.max(0, crop.top);
  const width = Math.min(picture.width, crop.left + crop.side) - left;
  const height = Math.min(picture.height, crop.top + crop.side) - top;
  const missing = {
    left: left - crop.left,
    top: top - crop.top,
    right: crop.side - width - (left - crop.left),
    bottom: crop.side - height - (top - crop.top),
  };
  const cut = await openPicture(picture).extract({ left, top, width, height }).png().toBuffer();
  const extended = await sharp(cut)
    .extend({ ...missing, extendWith: "copy" })
    .raw()
    .toBuffer();
  const whole = (data: Buffer) => sharp(data, { raw: { width: crop.side, height: crop.side, channels: 3 } });
  const resized = await whole(extended)
    .resize(SIDE, SIDE, { fit: "fill", kernel: "lanczos3" })
    .raw()
    .toBuffer();
  const framed = sharp(resized, { raw: { width: SIDE, height: SIDE, channels: 3 } });
  const scale = SIDE / crop.side;
  const edges = {
    left: missing.left * scale,
    top: missing.top * scale,
    right: missing.right * scale,
    bottom: missing.bottom * scale,
  };
  if (Math.max(...Object.values(edges)) < 1) return framed.png().toBuffer();
  const wall = await framed
    .clone()
    .blur(SIDE * 0.035)
    .raw()
    .toBuffer();
  return sharp(blend(resized, wall, edges), { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
}

/** The photograph over its blurred self, fading out towards the edges that it does not reach. */
function blend(
  picture: Buffer,
  wall: Buffer,
  edges: { left: number; top: number; right: number; bottom: number },
): Buffer {
  const soft = FEATHER * SIDE;
  const fade = (distance: number, edge: number) => (edge < 1 ? 1 : smooth((distance - edge) / soft));
  const across = Array.from({ length: SIDE }, (_, x) =>
    Math.min(fade(x + 0.5, edges.left), fade(SIDE - x - 0.5, edges.right)),
  );
  const out = Buffer.allocUnsafe(picture.length);
  for (let y = 0; y < SIDE; y += 1) {
    const down = Math.min(fade(y + 0.5, edges.top), fade(SIDE - y - 0.5, edges.bottom));
    for (let x = 0; x < SIDE; x += 1) {
      const share = Math.min(down, across[x] ?? 1);
      const at = (y * SIDE + x) * 3;
      for (let channel = at; channel < at + 3; channel += 1)
        out[channel] = Math.round((picture[channel] ?? 0) * share + (wall[channel] ?? 0) * (1 - share));
    }
  }
  return out;
}

function smooth(share: number): number {
  const t = Math.max(0, Math.min(1, share));
  return t * t * (3 - 2 * t);
}

export const seatedGenerator: StillGenerator = {
  async make({ picture, face }) {
    return { ok: true, image: await seat(picture, frameSeated(picture, face.geometry)) };
  },
};
