import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildAvatar, Stage } from "./index.js";
import { plainFace } from "./plain-face.ts";

const run = promisify(execFile);
let root: string;
const dir = (name: string) => join(root, name);

const open = (onPackets: () => void = () => undefined) =>
  new Stage({ avatarDir: dir("neutral"), onPackets, onEvent: () => undefined });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "visavis-tones-"));
  const build = async (name: string, size?: number, change: object = {}) => {
    await mkdir(dir(name));
    await buildAvatar({ ...(await plainFace(dir(name), size)), ...change });
  };
  await build("neutral");
  await build("happy", undefined, { seed: 2 });
  await build("small", 192);
  await build("fast", undefined, { fps: 30 });
  await cp(dir("happy"), dir("damaged"), { recursive: true });
  await truncate(join(dir("damaged"), "loop.i420"), 1000);
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("a face is built in a tone", () => {
  const build = async (name: string, change: object) => {
    await mkdir(dir(name));
    await buildAvatar({ ...(await plainFace(dir(name))), ...change });
    return readFile(join(dir(name), "loop.i420"));
  };

  test("which shows, unless it is the neutral one", async () => {
    const plain = await readFile(join(dir("neutral"), "loop.i420"));
    expect(Buffer.compare(await build("built-neutral", { tone: "neutral" }), plain)).toBe(0);
    const looks = [plain];
    for (const tone of ["happy", "sad", "surprised"]) looks.push(await build(`built-${tone}`, { tone }));
    for (const [index, look] of looks.entries()) {
      expect(look.length).toBe(plain.length);
      for (const other of looks.slice(index + 1)) expect(Buffer.compare(look, other)).not.toBe(0);
    }
  });

  test.each([
    ["one that is unknown", "angry", Error],
    ["none", "", Error],
    ["no text", 5, TypeError],
  ])("and refuses %s", async (what, tone, kind) => {
    const name = `refused ${what}`;
    await expect(build(name, { tone })).rejects.toThrow(kind);
    expect(await readdir(dir(name))).toEqual([]);
  });
});

describe("a stage wears tones", () => {
  test("those that were loaded, and its own", async () => {
    let packets = 0;
    const stage = open(() => packets++);
    expect(stage.setTone("happy")).toBe(false);
    await stage.addTone("happy", dir("happy"));
    expect(stage.setTone("happy")).toBe(true);
    const before = packets;
    await expect.poll(() => packets - before).toBeGreaterThan(20);
    await stage.addTone("happy", dir("neutral"));
    expect(stage.setTone("neutral")).toBe(true);
    expect(stage.setTone("sad")).toBe(false);
    await expect.poll(() => stage.stats().frames).toBeGreaterThan(20);
    await stage.close();
    expect(stage.setTone("happy")).toBe(false);
  });

  test.each([
    ["a folder that is not there", "missing", /rig\.vvr/],
    ["a damaged one", "damaged", /loop\.i420: 1000 bytes/],
    ["another size", "small", /192 by 192 pixels, but the face is 256 by 256/],
    ["another frame rate", "fast", /30 frames a second, but the face has 25/],
  ])("and refuses %s", async (_, name, message) => {
    const stage = open();
    await expect(stage.addTone("happy", dir(name))).rejects.toThrow(message);
    expect(stage.setTone("happy")).toBe(false);
    await stage.close();
  });

  test("wrong arguments are errors", async () => {
    const stage = open();
    await expect(stage.addTone("", dir("happy"))).rejects.toThrow(RangeError);
    await expect(stage.addTone("happy", 5 as unknown as string)).rejects.toThrow(TypeError);
    expect(() => stage.setTone(undefined as unknown as string)).toThrow(TypeError);
    await stage.close();
  });

  test("closing rejects what waits to be loaded and all that comes later", async () => {
    const stage = open();
    // As many as it wears, and more than there are threads to load them: most are still to come when it closes.
    const loading = Array.from({ length: 64 }, (_, index) => stage.addTone(`tone${index}`, dir("happy")));
    const settled = Promise.allSettled(loading);
    const closed = stage.close();
    const outcomes = await settled;
    await closed;
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    // Some may have been there before the end.
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(String(reason)).toMatch(/the stage is closed/);
    await expect(stage.addTone("happy", dir("happy"))).rejects.toThrow(/the stage is closed/);
  });

  test("a process may end while one is being loaded", async () => {
    const script = `
      import { Stage } from ${JSON.stringify(new URL("./index.js", import.meta.url).href)};
      const stage = new Stage({ avatarDir: ${JSON.stringify(dir("neutral"))}, onPackets() {}, onEvent() {} });
      for (let i = 0; i < 8; i++) void stage.addTone("tone" + i, ${JSON.stringify(dir("happy"))}).catch(() => {});
      process.exit(0);`;
    await run(process.execPath, ["--input-type=module", "-e", script]);
  });
});
