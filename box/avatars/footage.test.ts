// Footage of a face that a renderer made, through the real programs and the real models.

import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildFootageOptions } from "../../native/binding/index.d.ts";
import type { Media } from "../media/media.ts";
import { openMedia } from "../media/open.ts";
import { ffmpeg } from "../testing/media-samples.ts";
import { renderTalkingFootage } from "../testing/talking-footage.ts";
import { AvatarError } from "./errors.ts";
import { LANDMARK_COUNT } from "./face-mesh.ts";
import { buildFootage, checkFootage, type CheckedFootage } from "./footage.ts";
import { FaceFinder } from "./landmarks.ts";
import { mouthGap } from "./still-choice.ts";

const addon = fileURLToPath(new URL("../../native/build/Release/visavis.node", import.meta.url));
const words = (line: string) => line.split(" ");
const h264 = words("-c:v libx264 -preset ultrafast -crf 14 -pix_fmt yuv420p");

// `npm test` builds the addon before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!existsSync(addon))("footage", () => {
  let folder: string;
  let finder: FaceFinder;
  let media: Media;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "visavis-footage-"));
    finder = new FaceFinder();
    media = openMedia();
    await renderTalkingFootage({ finder, outPath: at("talk.mp4"), seconds: 2.4, fps: 30 });
  });

  afterAll(async () => {
    await Promise.all([finder?.close(), media?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const check = (...names: string[]) =>
    checkFootage({ paths: names.map(at), framing: "bust", finder, media });

  async function refusal(...names: string[]): Promise<{ code: string; message: string }> {
    const error = await check(...names).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AvatarError)) throw new Error(`Not refused as expected: ${String(error)}`);
    expect(error.message).not.toContain(folder);
    return { code: error.code, message: error.message };
  }

  /** The talking face, put through a filter. */
  const variant = (name: string, filter: string, ...more: string[]) =>
    ffmpeg("-i", at("talk.mp4"), "-filter_complex", filter, ...h264, ...more, at(name));

  it("of one face is taken, with a still from the front, mouth shut", async () => {
    const steps: string[] = [];
    const footage = await checkFootage({
      paths: [at("talk.mp4")],
      framing: "bust",
      finder,
      media,
      onStep: (step) => steps.push(step),
    });
    expect(steps).toEqual(["decode", "landmarks"]);
    expect(footage.paths).toEqual([at("talk.mp4")]);
    expect(footage.durationSeconds).toBeCloseTo(2.4, 1);
    expect([footage.still.width, footage.still.height]).toEqual([640, 576]);
    const { landmarks, geometry } = await finder.findFace(footage.still);
    expect(mouthGap(landmarks)).toBeLessThan(0.05);
    expect(Math.abs(geometry.yaw)).toBeLessThan(12);
    const { left, top, side } = footage.crop;
    expect(geometry.centre.x - geometry.heightPx / 2).toBeGreaterThan(left);
    expect(geometry.centre.x + geometry.heightPx / 2).toBeLessThan(left + side);
    expect(top).toBeGreaterThanOrEqual(0);
  });

  it("that does not say how long it is, is measured", async () => {
    const live = words("-c:v libvpx -deadline realtime -cpu-used 8 -b:v 2M -live 1 -f webm");
    await ffmpeg("-i", at("talk.mp4"), ...live, at("browser.webm"));
    expect((await media.facts(at("browser.webm"))).durationSeconds).toBeNull();
    expect((await check("browser.webm")).durationSeconds).toBeCloseTo(2.4, 0);
    await ffmpeg("-i", at("talk.mp4"), "-t", "1.2", ...live, at("blink.webm"));
    expect((await refusal("blink.webm")).code).toBe("video_too_short");
  });

  it("of several takes is the longest that can be used", async () => {
    await variant("shorter.mp4", "trim=end=2.1");
    await ffmpeg(...words("-f lavfi -i testsrc2=s=320x240:d=3"), ...h264, at("nobody.mp4"));
    expect((await check("shorter.mp4", "talk.mp4", "nobody.mp4")).paths).toEqual([at("talk.mp4")]);
    expect((await refusal("nobody.mp4")).code).toBe("no_face");
  });

  it("is refused before anything is decoded when its header says enough", async () => {
    await variant("short.mp4", "trim=end=1");
    await variant("small.mp4", "scale=112:100");
    await ffmpeg(...words("-f lavfi -i sine=d=3 -c:a aac"), at("song.m4a"));
    await ffmpeg(...words("-f lavfi -i sine=d=3"), at("song.wav"));
    await ffmpeg(...words("-f lavfi -i color=s=160x160:r=1:d=400"), ...h264, at("long.mp4"));
    await writeFile(at("text.mp4"), "#EXTM3U\nfile:///etc/passwd\n");
    await writeFile(at("cut.mp4"), (await readFile(at("talk.mp4"))).subarray(0, 3_000));
    for (const [name, code] of [
      ["short.mp4", "video_too_short"],
      ["small.mp4", "video_too_small"],
      ["song.m4a", "video_unsupported"],
      ["song.wav", "video_unsupported"],
      ["long.mp4", "video_too_long"],
      ["text.mp4", "video_unsupported"],
      ["cut.mp4", "video_unreadable"],
    ] as const)
      expect([name, (await refusal(name)).code]).toEqual([name, code]);
  });

  it("that loses its face says when", async () => {
    await variant("gone.mp4", "drawbox=c=gray:t=fill:enable='gte(t,1.2)'");
    const { code, message } = await refusal("gone.mp4");
    expect(code).toBe("no_face");
    expect(message).toMatch(/after 1\.[0-5] seconds/);
  });

  it("of two people, and of one far away, is refused", async () => {
    await variant("two.mp4", "[0]split[a][b];[a][b]hstack");
    expect((await refusal("two.mp4")).code).toBe("several_faces");
    await variant("far.mp4", "scale=160:144,pad=640:576:240:220:gray");
    expect((await refusal("far.mp4")).code).toBe("face_too_small");
  });

  describe("built", () => {
    let footage: CheckedFootage;
    beforeAll(async () => {
      footage = await check("talk.mp4");
    });

    it("gives the builder every frame, and where the face is in each", async () => {
      let given: BuildFootageOptions | undefined;
      const steps: string[] = [];
      const outDir = at("built");
      const info = await buildFootage({
        footage,
        outDir,
        finder,
        media,
        onStep: (step) => steps.push(step),
        builder: async (options) => {
          given = options;
          expect((await stat(options.framesPath)).size).toBe(options.frames * 512 * 512 * 1.5);
          return { width: 512, height: 512, fps: 25, frames: options.frames };
        },
      });
      expect(steps).toEqual(["decode", "landmarks", "preview", "rig", "done"]);
      expect(info.frames).toBe(60);
      const { landmarks = new Float32Array(), frames = 0, still = -1 } = given ?? {};
      expect(landmarks).toHaveLength(frames * LANDMARK_COUNT * 3);
      const rowOf = (frame: number) =>
        landmarks.subarray(frame * LANDMARK_COUNT * 3, (frame + 1) * LANDMARK_COUNT * 3);
      expect(mouthGap(rowOf(still))).toBeLessThan(0.05);
      // It was said to open wide at the middle of its first syllable, and to be shut in that of its second.
      expect(mouthGap(rowOf(Math.round(0.625 * 25)))).toBeGreaterThan(0.1);
      expect(mouthGap(rowOf(Math.round(0.875 * 25)))).toBeLessThan(0.05);
      expect(await readdir(outDir)).toEqual(["preview.jpg"]);
      expect(await sharp(join(outDir, "preview.jpg")).metadata()).toMatchObject({ width: 512, height: 512 });
    });

    it("leaves no frames behind when it fails or is given up", async () => {
      const outDir = at("failed");
      const brief = { ...footage, durationSeconds: 0.4 };
      const builder = () => Promise.reject(new Error("The mesh folds over itself."));
      await expect(buildFootage({ footage: brief, outDir, finder, media, builder })).rejects.toThrow(
        new AvatarError("face_unusable", "The mesh folds over itself."),
      );
      expect(await readdir(outDir)).toEqual(["preview.jpg"]);
      const given = new AbortController();
      const work = buildFootage({
        footage: brief,
        outDir: at("given-up"),
        finder,
        media,
        builder,
        signal: given.signal,
        onStep: (step) => step === "landmarks" && given.abort(new Error("given up")),
      });
      await expect(work).rejects.toThrow("given up");
      expect(await readdir(at("given-up"))).toEqual([]);
    });
  });
});
