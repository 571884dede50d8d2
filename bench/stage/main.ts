// What a live Stage costs at the sizes people stream: a stock face in three pictures, each spoken with in real time by
// native/bench/stage_bench.cc, in a process without Node.
//
//   node bench/stage/main.ts STAGE_BENCH WEIGHTS [SECONDS]

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { FaceFinder } from "../../box/avatars/landmarks.ts";
import { buildAvatar } from "../../native/binding/index.js";
import { root } from "../../test/harness/process.ts";

const sizes = [
  { width: 512, height: 512 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
] as const;
const sentence =
  "Please bring my map back before the boat leaves, Bob. My mother baked a big apple pie, and Peter ate the biggest piece.";

const [tool, weights, seconds = "15"] = process.argv.slice(2);
if (!tool || !weights) {
  console.error("usage: main.ts STAGE_BENCH WEIGHTS [SECONDS]");
  process.exit(2);
}

/** A stock portrait in the shape of a picture: widened by its own mirrored edges where it is too narrow. */
async function portrait({ width, height }: { width: number; height: number }) {
  const photograph = sharp(join(root, "box/avatars/stock/maya.png")).removeAlpha();
  const { width: across = 0, height: down = 0 } = await photograph.metadata();
  const side = Math.max(0, Math.round((down * width) / height) - across) >> 1;
  const { data, info } = await photograph
    .extend({ left: side, right: side, extendWith: "mirror" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

const folder = mkdtempSync(join(tmpdir(), "visavis-stage-"));
const finder = new FaceFinder();
try {
  const speech = join(folder, "speech.pcm");
  const wav = execFileSync("espeak-ng", ["-v", "en-us+f3", "--stdout", sentence], { maxBuffer: 1 << 26 });
  const wavHeaderBytes = 44;
  writeFileSync(speech, wav.subarray(wavHeaderBytes));
  for (const size of sizes) {
    const picture = await portrait(size);
    const { landmarks } = await finder.findFace(picture);
    const outDir = join(folder, `${size.width}x${size.height}`);
    mkdirSync(outDir);
    await buildAvatar({
      ...picture,
      landmarks,
      outputWidth: size.width,
      outputHeight: size.height,
      loopSeconds: 4,
      seed: 1,
      outDir,
    });
    const { status } = spawnSync(tool, [outDir, weights, speech, seconds], { stdio: "inherit" });
    if (status !== 0) throw new Error(`stage_bench failed at ${size.width}x${size.height}.`);
    rmSync(outDir, { recursive: true });
  }
} finally {
  await finder.close();
  rmSync(folder, { recursive: true, force: true });
}
