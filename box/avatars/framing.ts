import sharp from "sharp";
import { framingSchema, type Framing } from "../../contract/avatars.ts";
import { AvatarError } from "./errors.ts";
import type { FaceGeometry, Landmarks } from "./face-mesh.ts";
import { openPicture } from "./photo.ts";
import type { Picture } from "../media/picture.ts";

/** A square of the picture in its pixels; it reaches outside where `left`, `top` are negative or its far edges too large. */
export interface Crop {
  left: number;
  top: number;
  side: number;
}

/** Side of the square in face heights, and where in it the middle of the face lies, from the top. */
const FRAMES = { head: { heights: 1.9, centre: 0.5 }, bust: { heights: 2.6, centre: 0.44 } };
/** The least room around a face, in face heights: its hair must not touch the edge when the head moves. */
const LEAST_HEIGHTS = 1.5;
/** Largest side kept of a crop: twice the usual output, for a sharp warp. */
const MAX_CROP_SIDE = 1_024;

/** Reads the multipart text; empty means bust. Throws AvatarError invalid_framing. */
export function parseFraming(text: string | undefined): Framing {
  if (text === undefined || text === "") return "bust";
  const framing = framingSchema.safeParse(text);
  if (framing.success) return framing.data;
  throw new AvatarError("invalid_framing", "framing must be head, bust or full.");
}

/**
 * The square to show: as large as the framing asks, moved and then shrunk to stay inside the picture, and only where that
 * would cut into the face's surroundings reaching outside it.
 */
export function frameFace({
  picture,
  geometry,
  framing,
}: {
  picture: { width: number; height: number };
  geometry: FaceGeometry;
  framing: Framing;
}): Crop {
  const { width, height } = picture;
  const { centre, heightPx } = geometry;
  const wanted = framing === "full" ? Infinity : FRAMES[framing].heights * heightPx;
  const side = Math.round(Math.max(LEAST_HEIGHTS * heightPx, Math.min(wanted, width, height)));
  const above = framing === "full" ? FRAMES.bust.centre : FRAMES[framing].centre;
  return {
    left: place(centre.x - side / 2, side, width),
    top: place(centre.y - side * above, side, height),
    side,
  };
}

/** As frameFace, for a face that moves: the square holds it, and room around it, wherever it was seen. */
export function frameAround({
  picture,
  faces,
  framing,
}: {
  picture: { width: number; height: number };
  faces: readonly FaceGeometry[];
  framing: Framing;
}): Crop {
  const range = (values: readonly number[]) => ({ least: Math.min(...values), most: Math.max(...values) });
  const across = range(faces.map(({ centre }) => centre.x));
  const down = range(faces.map(({ centre }) => centre.y));
  const largest = Math.max(...faces.map(({ heightPx }) => heightPx));
  const spread = Math.max(across.most - across.least, down.most - down.least);
  // A face of this height at rest would be given the room that the moving one needs.
  const needed = largest + spread / (framing === "full" ? LEAST_HEIGHTS : FRAMES[framing].heights);
  const centre = { x: (across.least + across.most) / 2, y: (down.least + down.most) / 2 };
  const geometry = { interocularPx: 0, yaw: 0, pitch: 0, roll: 0, centre, heightPx: needed };
  return frameFace({ picture, geometry, framing });
}

function place(start: number, side: number, length: number): number {
  if (side > length) return Math.round((length - side) / 2);
  return Math.round(Math.min(Math.max(0, start), length - side));
}

/** Cuts the square out, its edges extended where it reaches outside, at no less than `outputSide` and at most 1024 a side. */
export async function cropPicture({
  picture,
  crop,
  outputSide,
}: {
  picture: Picture;
  crop: Crop;
  outputSide: number;
}): Promise<Picture> {
  const left = Math.max(0, crop.left);
  const top = Math.max(0, crop.top);
  const width = Math.min(picture.width, crop.left + crop.side) - left;
  const height = Math.min(picture.height, crop.top + crop.side) - top;
  const before = { left: left - crop.left, top: top - crop.top };
  const extended = await openPicture(picture)
    .extract({ left, top, width, height })
    .extend({
      left: before.left,
      top: before.top,
      right: crop.side - width - before.left,
      bottom: crop.side - height - before.top,
      extendWith: "copy",
    })
    .raw()
    .toBuffer();
  const side = Math.max(outputSide, Math.min(MAX_CROP_SIDE, crop.side));
  if (side === crop.side) return { rgb: extended, width: side, height: side };
  const rgb = await sharp(extended, { raw: { width: crop.side, height: crop.side, channels: 3 } })
    .resize(side, side, { fit: "fill", kernel: "lanczos3" })
    .raw()
    .toBuffer();
  return { rgb, width: side, height: side };
}

/** Moves landmarks from the picture into the crop as it was resized to `side`. */
export function landmarksInCrop(landmarks: Landmarks, crop: Crop, side: number): Landmarks {
  const scale = side / crop.side;
  const offsets = [crop.left, crop.top, 0];
  return landmarks.map((value, index) => (value - (offsets[index % 3] ?? 0)) * scale);
}
