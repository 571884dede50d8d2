// Where in the frame the face lies, and which frames of a loop are worth a look.

import sharp from "sharp";
import { FaceFinder } from "../../box/avatars/landmarks.ts";
import { renderFrame } from "../../native/binding/index.js";
import type { Worn } from "./faces.ts";
import type { Window } from "./sheet.ts";

const silence = Array.from({ length: 15 }, () => 0);

/** Windows on the head, the eyes and the mouth. */
export async function findWindows(avatarDir: string): Promise<Record<"head" | "eyes" | "mouth", Window>> {
  const picture = renderFrame({ avatarDir, frame: 0, weights: silence });
  const finder = new FaceFinder();
  try {
    const { landmarks } = await finder.findFace(picture);
    const at = (point: number, axis: 0 | 1): number =>
      (landmarks[point * 3 + axis] ?? 0) / (axis === 0 ? picture.width : picture.height);
    const wide = at(454, 0) - at(234, 0);
    const around = (x: number, y: number, width: number, height: number): Window => {
      const left = Math.max(0, x - width / 2);
      const top = Math.max(0, y - height / 2);
      return { left, top, width: Math.min(width, 1 - left), height: Math.min(height, 1 - top) };
    };
    return {
      head: around(at(6, 0), at(4, 1), 1.5 * wide, 1.9 * wide),
      eyes: around(at(6, 0), at(6, 1) - 0.05 * wide, 1.05 * wide, 0.5 * wide),
      mouth: around(at(13, 0), at(13, 1), 0.7 * wide, 0.5 * wide),
    };
  } finally {
    await finder.close();
  }
}

/** The loop's first frame, one in the middle, and the one whose eyes are shut furthest: there least white is seen. */
export async function findMoments({
  neutral,
  eyes,
}: {
  neutral: Worn;
  eyes: Window;
}): Promise<[Moment, ...Moment[]]> {
  let blink = { frame: 0, contrast: Number.POSITIVE_INFINITY };
  for (let frame = 0; frame < neutral.frames; frame += 2) {
    const { rgb, width, height } = renderFrame({ avatarDir: neutral.avatarDir, frame, weights: silence });
    const area = {
      left: Math.round(eyes.left * width),
      top: Math.round((eyes.top + 0.45 * eyes.height) * height),
      width: Math.round(eyes.width * width),
      height: Math.round(0.3 * eyes.height * height),
    };
    const { channels } = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .extract(area)
      .stats();
    const contrast = channels[2]?.stdev ?? 0;
    if (contrast < blink.contrast) blink = { frame, contrast };
  }
  return [
    { name: "rest", frame: 0 },
    { name: "mid-loop", frame: Math.floor(neutral.frames / 2) },
    { name: "blink", frame: blink.frame },
  ];
}

export interface Moment {
  name: string;
  frame: number;
}
