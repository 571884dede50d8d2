// Thousands of damaged files, every kind of damage on every kind of file: each is decoded or refused in time, whatever it
// does to the process that reads it. A bare run takes every so many of them; VISAVIS_CORPUS=2000 takes all.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { damagedFile, type DamagedFile } from "../testing/damaged-files.ts";
import { mediaSamples, type MediaSample } from "../testing/media-samples.ts";
import { MediaError } from "./media.ts";
import { findPrograms } from "./programs.ts";
import { SandboxedMedia } from "./sandboxed-media.ts";

const whole = 2_000;
const count = Math.min(whole, Number(process.env.VISAVIS_CORPUS ?? 300));
/** The longest that the limits of the processes allow for a file this small. */
const longestMs = 240_000;
const grownBytes = 200 * 1024 * 1024;

let folder: string;
let samples: MediaSample[];
let media: SandboxedMedia;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-corpus-"));
  samples = await mediaSamples(join(folder, "samples"));
  const found = findPrograms();
  if (found.case === "missing") throw new Error(`Please install ${found.missing.join(", ")}.`);
  media = new SandboxedMedia({ programs: found.programs, folder: join(folder, "samples") });
});

afterAll(async () => {
  await media?.close();
  await rm(folder, { recursive: true, force: true });
});

/** What became of it: `decoded`, or how it was refused. */
async function outcome({ kind, bytes, name }: DamagedFile): Promise<string> {
  const path = join(folder, name.replaceAll(/\W/g, "-"));
  const outPath = `${path}.i420`;
  const signal = AbortSignal.timeout(longestMs);
  try {
    await writeFile(path, bytes);
    if (kind === "photo") {
      const { rgb, width, height } = await media.photo(bytes, signal);
      expect(rgb.length).toBe(width * height * 3);
    } else if (kind === "sound") {
      const { samples } = await media.sound(path, { sampleRate: 16_000, maxSeconds: 60, signal });
      expect(samples.length).toBeGreaterThan(0);
      expect(samples.length).toBeLessThanOrEqual(60.3 * 16_000);
    } else {
      // Its facts are read on the way.
      const request = { path, outPath, fromSeconds: 0, seconds: 2, fps: 10, width: 64, height: 48, signal };
      const frames = await media.footage(request);
      expect(frames).toBeGreaterThan(0);
      expect(frames).toBeLessThanOrEqual(20);
    }
    return "decoded";
  } catch (error) {
    if (!(error instanceof MediaError)) throw new Error(`File ${name} was not refused`, { cause: error });
    return error.fault;
  } finally {
    await Promise.all([rm(path, { force: true }), rm(outPath, { force: true })]);
  }
}

async function childrenOfOurs(): Promise<string[]> {
  const tasks = await readdir("/proc/self/task");
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/self/task/${task}/children`, "utf8")));
  return lists.join(" ").split(/\s+/).filter(Boolean);
}

it("the samples are sound before they are damaged", async () => {
  for (const sample of samples)
    expect([sample.name, await outcome(sample)]).toEqual([sample.name, "decoded"]);
});

it(`${count} damaged files`, { timeout: 1_800_000 }, async () => {
  const before = process.memoryUsage().rss;
  const outcomes = new Map<string, number>();
  const numbers = Array.from({ length: count }, (_, index) => Math.floor((index * whole) / count));
  const work = numbers.values();
  const lane = async () => {
    for (const number of work) {
      const became = await outcome(damagedFile(samples, number));
      outcomes.set(became, (outcomes.get(became) ?? 0) + 1);
    }
  };
  // More than run at once: the queue is part of it.
  await Promise.all([lane(), lane(), lane(), lane()]);
  expect([...outcomes.values()].reduce((sum, each) => sum + each, 0)).toBe(count);
  // Damage that nothing notices, or that nothing survives, would be no test.
  expect(outcomes.get("decoded")).toBeGreaterThan(count / 10);
  expect(outcomes.get("unreadable")).toBeGreaterThan(count / 10);
  expect(process.memoryUsage().rss - before).toBeLessThan(grownBytes);
  if (count === whole) console.log("outcomes", Object.fromEntries(outcomes));
});

it("nothing is left: no process, no zombie, no file", async () => {
  const before = media.pids;
  await media.close();
  expect(media.pids).toEqual([]);
  const left = await childrenOfOurs();
  expect(left.filter((pid) => before.includes(Number(pid)))).toEqual([]);
  expect((await readdir(folder)).filter((name) => name !== "samples")).toEqual([]);
  expect((await readdir(join(folder, "samples"))).filter((name) => name.startsWith("visavis-"))).toEqual([]);
});
