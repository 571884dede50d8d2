// An avatar for tests of the binding, none of which depends on what it shows.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BuildAvatarOptions } from "./index.js";

export const plainFaceSize = 256;

/** Landmarks of a drawn portrait, as x, y, z in pixels of a square picture. */
export async function plainLandmarks(size = plainFaceSize): Promise<Float32Array> {
  const file = fileURLToPath(new URL("../test/stage/landmarks.txt", import.meta.url));
  const shares = (await readFile(file, "utf8")).trim().split(/\s+/).map(Number);
  return Float32Array.from(shares, (share) => share * size);
}

/** Those landmarks on a plain picture. */
export async function plainFace(outDir: string, size = plainFaceSize): Promise<BuildAvatarOptions> {
  const rgb = new Uint8Array(size * size * 3);
  for (let i = 0; i < rgb.length; i += 3) {
    const row = Math.floor((i / 3 / size / size) * plainFaceSize);
    rgb.set([200 - row / 4, 150 - row / 4, 130 - row / 4], i);
  }
  return {
    rgb,
    width: size,
    height: size,
    landmarks: await plainLandmarks(size),
    outputWidth: size,
    outputHeight: size,
    loopSeconds: 2,
    outDir,
  };
}
