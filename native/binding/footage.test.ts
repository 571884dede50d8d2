import { copyFile, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildAvatar, buildFootage, readAvatar, renderFrame, type BuildFootageOptions } from "./index.js";
import { plainFace, plainFaceSize as size, plainLandmarks } from "./plain-face.ts";

const frames = 60;
let root: string;
let options: BuildFootageOptions;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "visavis-footage-"));
  // A film of somebody who holds still.
  await buildAvatar({ ...(await plainFace(root)), motion: 0, loopSeconds: 2.4 });
  const framesPath = join(root, "frames.i420");
  await copyFile(join(root, "loop.i420"), framesPath);
  const row = await plainLandmarks();
  const landmarks = new Float32Array(frames * row.length);
  for (let frame = 0; frame < frames; frame++) landmarks.set(row, frame * row.length);
  const outDir = join(root, "rigged");
  options = { framesPath, frames, width: size, height: size, fps: 25, landmarks, still: 3, outDir };
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function outDir(): Promise<string> {
  return mkdtemp(join(root, "out-"));
}

test("a film becomes an avatar, and stays where it is", async () => {
  const dir = await outDir();
  const landmarks = options.landmarks.slice();
  const building = buildFootage({ ...options, landmarks, outDir: dir });
  // It owns a copy.
  landmarks.fill(Number.NaN);
  const info = await building;
  expect(info).toMatchObject({ width: size, height: size, fps: 25 });
  expect(info.frames).toBeGreaterThanOrEqual(50);
  expect(readAvatar(dir)).toEqual(info);
  expect((await readdir(dir)).toSorted()).toEqual(["loop.i420", "rig.vvr"]);
  expect((await stat(options.framesPath)).size).toBe((frames * size * size * 3) / 2);
  const weights = Array.from({ length: 15 }, () => 0);
  const open = renderFrame({ avatarDir: dir, frame: info.frames - 1, weights: weights.with(10, 1) });
  expect(Buffer.compare(renderFrame({ avatarDir: dir, frame: 0, weights }).rgb, open.rgb)).not.toBe(0);
});

test.each([
  ["no options", undefined, /options must be an object/],
  ["a film that is not there", { framesPath: "/nonexistent/film" }, /frames of the footage cannot be read/],
  ["a film of another length", { frames: 59 }, /landmarks must hold frames \* 478 \* 3 = 84606 numbers/],
  ["a film of another size", { width: 192 }, /not as many as they should be/],
  ["a still that is none of its frames", { still: 60 }, /still must be within 0\.\.59/],
  ["24 frames a second", { fps: 24 }, /fps must be within 25\.\.30/],
  ["27 frames a second", { fps: 27 }, /frame rate must be 25 or 30/],
  [
    "landmarks that are no numbers",
    { landmarks: new Float32Array(60 * 478 * 3).fill(Number.NaN) },
    /not a number/,
  ],
  ["landmarks that are all one point", { landmarks: new Float32Array(60 * 478 * 3).fill(99) }, /./],
  ["a folder that is not there", { outDir: "/nonexistent/visavis" }, /folder to write into does not exist/],
])("refuses %s, and leaves nothing", async (_, change, message) => {
  const dir = await outDir();
  const wrong = change && ({ ...options, outDir: dir, ...change } as BuildFootageOptions);
  await expect(buildFootage(wrong as BuildFootageOptions)).rejects.toThrow(message);
  expect(await readdir(dir)).toEqual([]);
});

test("a film that is cut short is refused", async () => {
  const dir = await outDir();
  const framesPath = join(dir, "short.i420");
  await writeFile(framesPath, Buffer.alloc(1000));
  await expect(buildFootage({ ...options, framesPath, outDir: dir })).rejects.toThrow(/cannot be read/);
});
