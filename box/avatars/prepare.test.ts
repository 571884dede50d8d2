import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, expect, it } from "vitest";
import { openMedia } from "../media/open.ts";
import { AvatarError } from "./errors.ts";
import { FaceFinder } from "./landmarks.ts";
import { buildPhoto, checkPhoto, nativeBuilder } from "./prepare.ts";

const portrait = await readFile(fileURLToPath(new URL("stock/theo.png", import.meta.url)));
const addon = fileURLToPath(new URL("../../native/build/Release/visavis.node", import.meta.url));

const media = openMedia();
afterAll(() => media.close());

it(
  "turns a photograph into an avatar that the native library opens",
  { skip: !existsSync(addon) },
  async () => {
    const outDir = await mkdtemp(join(tmpdir(), "visavis-prepare-"));
    const finder = new FaceFinder();
    try {
      const photo = await checkPhoto({ bytes: portrait, framing: "bust", finder, media });
      const info = await buildPhoto({ photo, outDir, motion: 0.5, seed: 7, builder: nativeBuilder });
      expect(info).toMatchObject({ width: 512, height: 512, fps: 25 });
      expect(info.frames).toBeGreaterThan(25);
      expect((await readdir(outDir)).toSorted()).toEqual(["loop.i420", "preview.jpg", "rig.vvr"]);
      expect((await stat(join(outDir, "loop.i420"))).size).toBe(info.frames * 512 * 512 * 1.5);
      const { readAvatar } = await import("../../native/binding/index.js");
      expect(readAvatar(outDir)).toEqual(info);
      const preview = await sharp(join(outDir, "preview.jpg")).metadata();
      expect([preview.width, preview.height]).toEqual([512, 512]);
    } finally {
      await finder.close();
      await rm(outDir, { recursive: true });
    }
  },
);

it("says what the builder found wrong with a face", async () => {
  const outDir = await mkdtemp(join(tmpdir(), "visavis-prepare-"));
  const finder = new FaceFinder();
  try {
    const photo = await checkPhoto({ bytes: portrait, framing: "head", finder, media });
    const builder = () => Promise.reject(new Error("The mesh folds over itself."));
    const failed = buildPhoto({ photo, outDir, motion: 0, seed: 1, builder });
    await expect(failed).rejects.toThrow(new AvatarError("face_unusable", "The mesh folds over itself."));
  } finally {
    await finder.close();
    await rm(outDir, { recursive: true });
  }
});
