// A video of a face becomes an avatar that keeps the video's motion and speaks with its own lips: from the file through
// tracking and building to the stage.

import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildFootage, checkFootage } from "../box/avatars/footage.ts";
import { FaceFinder } from "../box/avatars/landmarks.ts";
import type { Media } from "../box/media/media.ts";
import { openMedia } from "../box/media/open.ts";
import { renderTalkingFootage } from "../box/testing/talking-footage.ts";
import type { AvatarInfo, MediaPacket } from "../native/binding/index.js";
import { LipReader } from "./harness/lips.ts";
import { root } from "./harness/process.ts";

const native = existsSync(join(root, "native/build/Release/visavis.node"))
  ? await import("../native/binding/index.js")
  : null;

const PP = 1;
const aa = 10;

describe.skipIf(typeof native?.buildFootage !== "function")("an avatar of footage", () => {
  let folder: string;
  let finder: FaceFinder;
  let media: Media;
  let lips: LipReader;
  let avatarDir: string;
  let info: AvatarInfo;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "visavis-footage-"));
    finder = new FaceFinder();
    media = openMedia();
    lips = await LipReader.open();
    avatarDir = join(folder, "avatar");
    const path = join(folder, "take.mp4");
    // Somebody who mostly listens, and says one word: what is in the footage must not stay in the lips.
    const speech = (seconds: number) =>
      seconds > 1 && seconds < 1.4
        ? { viseme: aa, weight: Math.sin(((seconds - 1) / 0.4) * Math.PI) * 0.8 }
        : null;
    await renderTalkingFootage({ finder, outPath: path, seconds: 3, sway: 20, speech });
    const footage = await checkFootage({ paths: [path], framing: "head", finder, media });
    info = await buildFootage({ footage, outDir: avatarDir, finder, media });
  });

  afterAll(async () => {
    await Promise.all([finder?.close(), media?.close(), lips?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const render = (frame: number, viseme?: number) => {
    if (!native) throw new Error("The addon is not built.");
    const weights = Array.from({ length: 15 }, (_, index) => (index === viseme ? 1 : 0));
    return native.renderFrame({ avatarDir, frame, weights });
  };

  async function aperture(frame: number, viseme?: number): Promise<number> {
    const { rgb, width, height } = render(frame, viseme);
    const png = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const read = await lips.read(png);
    if (!read) throw new Error(`No face was found in frame ${frame}.`);
    return read.aperture;
  }

  test("is complete, and nothing else is left in its folder", async () => {
    expect((await readdir(avatarDir)).toSorted()).toEqual(["loop.i420", "preview.jpg", "rig.vvr"]);
    expect(info).toMatchObject({ width: 512, height: 512, fps: 25 });
    expect(info.frames).toBeGreaterThanOrEqual(25);
    expect(native?.readAvatar(avatarDir)).toEqual(info);
  });

  test("shuts its lips for PP and opens them for aa, wherever the head is", async () => {
    const frames = [0, 0.2, 0.4, 0.6, 0.8].map((share) => Math.floor(share * info.frames));
    for (const frame of frames) {
      const [shut, open] = [await aperture(frame, PP), await aperture(frame, aa)];
      expect(shut).toBeLessThan(0.03);
      expect(open).toBeGreaterThan(shut + 0.045);
    }
  });

  test("moves as the footage did, and its end leads into its beginning", () => {
    const difference = (a: Buffer, b: Buffer) => {
      let sum = 0;
      for (let at = 0; at < a.length; at += 7) sum += Math.abs((a[at] ?? 0) - (b[at] ?? 0));
      return sum / (a.length / 7);
    };
    const frames = Array.from({ length: info.frames }, (_, frame) => render(frame).rgb);
    const steps = frames.map((frame, index) =>
      difference(frame, frames[(index + 1) % frames.length] ?? frame),
    );
    const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length * 0.9)] ?? 0;
    expect(usual).toBeGreaterThan(0.1);
    expect(steps.at(-1)).toBeLessThan(usual * 3 + 1);
  });

  test("goes on stage", async () => {
    if (!native) throw new Error("The addon is not built.");
    const packets: MediaPacket[] = [];
    const stage = new native.Stage({
      avatarDir,
      onPackets: (more) => packets.push(...more),
      onEvent: () => undefined,
    });
    try {
      const count = (kind: MediaPacket["kind"]) => packets.filter((packet) => packet.kind === kind).length;
      await expect.poll(() => Math.min(count("video"), count("audio"))).toBeGreaterThan(5);
    } finally {
      await stage.close();
    }
  });
});
