// What an avatar library builds with, replaced: the same face in every picture, and files in place of loops.

import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { AvatarError } from "../avatars/errors.ts";
import type { FaceFinder } from "../avatars/landmarks.ts";
import type { AvatarBuilder } from "../avatars/prepare.ts";
import type { Tools } from "../avatars/workshop.ts";

/** Sees the same face in every picture of 400 by 300. */
export const sameFace = {
  findFace: () =>
    Promise.resolve({
      geometry: { centre: { x: 200, y: 150 }, heightPx: 100 },
      landmarks: Array.from({ length: 478 * 3 }, () => 150),
    }),
  close: () => Promise.resolve(),
} as unknown as FaceFinder;

/** A picture that `sameFace` takes. */
export const pictureOf = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 300, channels: 3, background } })
    .png()
    .toBuffer();

/** The first bytes of an MP4, and words to tell one from another. */
export const videoOf = (words: string): Buffer => Buffer.from(`\0\0\0\x18ftypisom${words}`);

const info = { width: 512, height: 512, fps: 25, frames: 200 };

/** Builds what was asked for at once, unless it is held or at fault. */
export class FakeTools {
  /** Every build of a photograph's tone waits for this. */
  held: Promise<void> | undefined;
  /** What builds fail with, by tone; "" for all. */
  readonly faults = new Map<string, Error>();
  /** Tones built from a picture, and the paths that footage was built from, in order. */
  readonly rendered: string[] = [];
  readonly tracked: string[][] = [];

  readonly builder: AvatarBuilder = async ({ outDir, tone = "neutral" }) => {
    this.rendered.push(tone);
    await this.held;
    const fault = this.faults.get(tone) ?? this.faults.get("");
    if (fault) throw fault;
    await writeFile(join(outDir, "rig.vvr"), tone);
    await writeFile(join(outDir, "loop.i420"), "");
    return info;
  };

  readonly footage: Tools["footage"] = {
    check: async ({ paths, signal }) => {
      this.tracked.push(paths.map((path) => path.split("/").at(-1) ?? ""));
      await Promise.race([this.held, aborted(signal)]);
      for (const path of paths) await access(path);
      const fault = this.faults.get("footage");
      if (fault) throw fault;
      const rgb = Buffer.alloc(400 * 300 * 3, 120);
      return {
        paths,
        still: { rgb, width: 400, height: 300 },
        crop: { left: 70, top: 30, side: 260 },
        durationSeconds: 3,
      };
    },
    build: async ({ outDir }) => {
      await mkdir(outDir, { recursive: true });
      for (const name of ["rig.vvr", "loop.i420", "preview.jpg"]) await writeFile(join(outDir, name), "");
      return { ...info, frames: 75 };
    },
  };

  /** Builds wait until the answer is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held = promise;
    return () => {
      this.held = undefined;
      resolve();
    };
  }
}

/** Rejects when the signal aborts; never settles without one. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new AvatarError("video_unreadable", "The build was called off."));
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}
