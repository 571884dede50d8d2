// The room takes its light from the face that is in it: four colours of the still, as custom properties. Cheaper by far
// than blurring the picture behind a live video, which a machine without a GPU would have to compose again every frame.

import { type CSSProperties, useEffect, useState } from "react";

type Ambience = CSSProperties & Record<`--ambience-${number}`, string>;

/** Mean colours of the corners of an image's 2 by 2 reduction, left to right, top to bottom. */
export async function readAmbience(url: string): Promise<Ambience> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  // Halving twice makes the browser's bilinear filter take every pixel into account.
  canvas.width = 16;
  canvas.height = 16;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return {};
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, 16, 16);
  const { data } = context.getImageData(0, 0, 16, 16);
  const ambience: Ambience = {};
  for (let quarter = 0; quarter < 4; quarter++) {
    const sums = [0, 0, 0];
    for (let y = 0; y < 8; y++) {
      for (let x = 0; x < 8; x++) {
        const at = ((y + (quarter >> 1) * 8) * 16 + x + (quarter & 1) * 8) * 4;
        for (let channel = 0; channel < 3; channel++) sums[channel]! += data[at + channel]! / 64;
      }
    }
    ambience[`--ambience-${quarter + 1}`] = `rgb(${sums.map(Math.round).join(" ")})`;
  }
  return ambience;
}

export function useAmbience(url: string | undefined): Ambience {
  const [ambience, setAmbience] = useState<Ambience>({});
  useEffect(() => {
    if (!url) return;
    let current = true;
    const read = async () => {
      const colours = await readAmbience(url);
      if (current) setAmbience(colours);
    };
    // A still that cannot be decoded leaves the room as it was.
    read().catch(() => undefined);
    return () => {
      current = false;
    };
  }, [url]);
  return ambience;
}
