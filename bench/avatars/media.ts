// What reading files in processes of their own costs, and how fast a face is followed through a video.
// Usage: node bench/avatars/media.ts [rounds]

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFootage, checkFootage } from "../../box/avatars/footage.ts";
import { FaceFinder } from "../../box/avatars/landmarks.ts";
import { openMedia } from "../../box/media/open.ts";
import { decodePicture } from "../../box/media/photo-decoding.ts";
import { renderTalkingFootage } from "../../box/testing/talking-footage.ts";
import { root } from "../../test/harness/process.ts";
import { median, report } from "../report.ts";

const rounds = Number(process.argv[2] ?? 7);
const folder = await mkdtemp(join(tmpdir(), "visavis-bench-media-"));
const at = (name: string) => join(folder, name);
const make = (line: string, name: string) =>
  execFileSync("ffmpeg", ["-v", "error", "-y", ...line.split(" "), at(name)]);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

async function typical(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work));
  return median(times);
}

const media = openMedia();
const finder = new FaceFinder();
try {
  const photo = await readFile(join(root, "box/avatars/stock/maya.png"));
  await decodePicture(photo);
  const inside = await typical(() => decodePicture(photo));
  const first = await timed(() => media.photo(photo));
  const outside = await typical(() => media.photo(photo));
  report({ name: "photograph decoded in the box itself", value: inside, unit: "ms" });
  report({ name: "in a process that waits for it", value: outside, unit: "ms" });
  report({ name: "in a process started for it", value: first, unit: "ms" });

  make("-f lavfi -i sine=d=10 -c:a libmp3lame", "ten.mp3");
  make("-f lavfi -i sine=d=600 -c:a libmp3lame", "long.mp3");
  const options = { sampleRate: 24_000, maxSeconds: 600 };
  report({ name: "facts of a file", value: await typical(() => media.facts(at("ten.mp3"))), unit: "ms" });
  const ten = await typical(() => media.sound(at("ten.mp3"), options));
  report({ name: "sound of ten seconds", value: ten, unit: "ms" });
  const long = await timed(() => media.sound(at("long.mp3"), options));
  report({ name: "sound of ten minutes", value: long, unit: "ms" });

  const seconds = 6;
  await finder.warmUp();
  await renderTalkingFootage({ finder, outPath: at("talk.mp4"), seconds });
  const size = { width: 512, height: 512, fps: 25, outPath: at("frames.i420") };
  const decoded = await timed(() =>
    media.footage({ path: at("talk.mp4"), fromSeconds: 0, seconds, ...size }),
  );
  report({ name: "footage decoded, a second of it", value: decoded / seconds, unit: "ms" });
  const paths = [at("talk.mp4")];
  const checkedAtMs = performance.now();
  const footage = await checkFootage({ paths, framing: "bust", finder, media });
  report({
    name: "footage checked, a second of it",
    value: (performance.now() - checkedAtMs) / seconds,
    unit: "ms",
  });
  const beganAtMs = new Map<string, number>();
  const outDir = at("avatar");
  const built = await timed(() =>
    buildFootage({
      footage,
      outDir,
      finder,
      media,
      onStep: (step) => beganAtMs.set(step, performance.now()),
    }),
  );
  const trackedMs = (beganAtMs.get("preview") ?? Number.NaN) - (beganAtMs.get("landmarks") ?? Number.NaN);
  report({ name: "frames tracked a second", value: (seconds * 25_000) / trackedMs, unit: "fps" });
  report({ name: "footage of six seconds built", value: built, unit: "ms" });
} finally {
  await Promise.all([finder.close(), media.close()]);
  await rm(folder, { recursive: true, force: true });
}
