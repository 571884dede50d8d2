import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build, buildAvatar, findGpu, readAvatar, renderFrame, Stage, visemesOf } from "./index.js";
import type { BuildAvatarOptions, StageOptions } from "./index.js";
import { openStageOf, tone } from "./open-stage.ts";
import { plainFace, plainFaceSize as SIZE } from "./plain-face.ts";

const run = promisify(execFile);
const bindingUrl = new URL("./index.js", import.meta.url).href;
let avatarDir: string;
let avatar: BuildAvatarOptions;

const openStage = (options: Partial<StageOptions> = {}) => openStageOf({ avatarDir, ...options });

beforeAll(async () => {
  avatarDir = await mkdtemp(join(tmpdir(), "visavis-binding-"));
  avatar = await plainFace(avatarDir);
  await buildAvatar(avatar);
});

afterAll(async () => {
  await rm(avatarDir, { recursive: true, force: true });
});

describe("avatars", () => {
  test("what was built can be read", () => {
    expect(readAvatar(avatarDir)).toEqual({ width: SIZE, height: SIZE, fps: 25, frames: 50 });
  });

  test("a frame is drawn with the mouth as asked", () => {
    const weights = Array.from({ length: 15 }, () => 0);
    const shut = renderFrame({ avatarDir, frame: 0, weights });
    const open = renderFrame({ avatarDir, frame: 0, weights: weights.with(10, 1) });
    expect(shut).toMatchObject({ width: SIZE, height: SIZE });
    expect(shut.rgb.length).toBe(SIZE * SIZE * 3);
    expect(Math.abs(shut.rgb[0]! - 200)).toBeLessThanOrEqual(6);
    expect(Buffer.compare(shut.rgb, open.rgb)).not.toBe(0);
    expect(Buffer.compare(shut.rgb.subarray(0, 3 * SIZE), open.rgb.subarray(0, 3 * SIZE))).toBe(0);
  });

  test.each([
    ["no options", undefined, /options must be an object/],
    ["a plain array for a picture", { rgb: [1, 2, 3] }, /rgb must be a Uint8Array/],
    [
      "a picture that is too short",
      { rgb: new Uint8Array(5) },
      /rgb must hold width \* height \* 3 = 196608 bytes, not 5/,
    ],
    ["too few landmarks", { landmarks: new Float32Array(9) }, /landmarks must hold 478 \* 3 numbers, not 9/],
    ["landmarks that are all one point", { landmarks: new Float32Array(478 * 3).fill(9) }, /./],
    ["half a pixel", { width: 255.5 }, /width must be a whole number/],
    ["too much motion", { motion: 2 }, /motion must be within 0\.\.1/],
    ["a folder that is not there", { outDir: "/nonexistent/visavis" }, /./],
  ])("building refuses %s", async (_, change, message) => {
    const options = change && ({ ...avatar, ...change } as BuildAvatarOptions);
    await expect(buildAvatar(options as BuildAvatarOptions)).rejects.toThrow(message);
  });

  test("a missing or damaged avatar is an error that names the file", async () => {
    expect(() => readAvatar("/nonexistent/visavis")).toThrow(/rig\.vvr/);
    const dir = await mkdtemp(join(tmpdir(), "visavis-damaged-"));
    await writeFile(join(dir, "rig.vvr"), "not a rig");
    expect(() => readAvatar(dir)).toThrow(/rig\.vvr/);
    expect(() => renderFrame({ avatarDir, frame: 50, weights: Array(15).fill(0) })).toThrow(
      /frame must be within 0\.\.49/,
    );
    expect(() => renderFrame({ avatarDir, frame: 0, weights: [1] })).toThrow(/15 numbers/);
    await rm(dir, { recursive: true });
  });
});

describe("a stage", () => {
  test("idle video and silence flow, on grids of one clock", async () => {
    const { stage, of, until } = openStage();
    await until(() => of("video").length >= 12 && of("audio").length >= 25);
    await stage.close();
    of("audio").forEach((packet, i) => {
      expect(packet).toMatchObject({ timestamp: 960 * i, speech: false, keyframe: false });
    });
    const video = of("video");
    expect(video[0]!.keyframe).toBe(true);
    for (const packet of video) {
      expect(packet.timestamp % 3600).toBe(0);
      expect(packet.data.subarray(0, 3).equals(Buffer.from([0, 0, 0])) || packet.data[2] === 1).toBe(true);
    }
  });

  test("an utterance is heard, marked and ended, and the next follows", async () => {
    const { stage, of, events, until } = openStage();
    const first = stage.beginUtterance();
    expect(stage.pushAudio(first, tone(0.2, 22_050), 22_050)).toBe(true);
    expect(stage.addMark(first, 7)).toBe(true);
    stage.endUtterance(first);
    const second = stage.beginUtterance();
    expect(stage.pushAudio(second, tone(0.1, 16_000), 16_000)).toBe(true);
    stage.endUtterance(second);
    expect(stage.pushAudio(second, tone(0.1, 16_000), 16_000)).toBe(false);
    await until(() => events.length === 5);
    expect(events.map((event) => event.type)).toEqual([
      "utterance_started",
      "mark",
      "utterance_ended",
      "utterance_started",
      "utterance_ended",
    ]);
    expect(events[1]).toMatchObject({ utterance: first, mark: 7 });
    expect(events[2]).toMatchObject({ utterance: first, interrupted: false });
    expect((events[2] as { playedMs: number }).playedMs).toBeCloseTo(200, 0);
    expect(of("audio").filter((packet) => packet.speech).length).toBe(15);
    await stage.close();
  });

  test("an interrupt ends what had begun", async () => {
    const { stage, of, events, until } = openStage();
    const speaking = stage.beginUtterance();
    stage.pushAudio(speaking, tone(5, 16_000), 16_000);
    const waiting = stage.beginUtterance();
    await until(() => of("audio").some((packet) => packet.speech));
    const generation = stage.interrupt();
    expect(stage.pushAudio(speaking, tone(1, 16_000), 16_000)).toBe(false);
    await until(() => events.filter((event) => event.type === "utterance_ended").length === 2);
    expect(events.filter((event) => "interrupted" in event && event.interrupted).length).toBe(2);
    expect(events.map((event) => "utterance" in event && event.utterance)).toContain(waiting);
    expect(stage.interrupt()).toBe(generation + 1);
    await stage.close();
  });

  test("a keyframe comes on request, and figures tell of it all", async () => {
    const { stage, of, until } = openStage({ fps: 30, videoBitrateBps: 300_000 });
    await until(() => of("video").length >= 5);
    stage.requestKeyframe();
    stage.setVideoBitrate(200_000);
    await until(() =>
      of("video")
        .slice(1)
        .some((packet) => packet.keyframe),
    );
    const stats = stage.stats();
    expect(stats.frames).toBeGreaterThanOrEqual(5);
    expect(stats.encoder).toBe("libx264");
    expect(stats.encodeMs.p50).toBeGreaterThan(0);
    expect(["avx2", "portable"]).toContain(stats.warpDevice);
    expect(["avx2", "cuda", "portable"]).toContain(stats.netDevice);
    // A machine without a card says why.
    expect(stats.gpu === "" ? stats.gpuOff : "a card").not.toBe("");
    await stage.close();
    expect(stage.stats().frames).toBeGreaterThanOrEqual(stats.frames);
  });

  test("after close() nothing is called, nothing is accepted, and closing again is fine", async () => {
    const { stage, packets, until } = openStage();
    await until(() => packets.length > 2);
    const utterance = stage.beginUtterance();
    const closing = stage.close();
    const count = packets.length;
    await Promise.all([closing, stage.close()]);
    await stage.close();
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(packets.length).toBe(count);
    expect(() => stage.beginUtterance()).toThrow(/closed/);
    expect(stage.pushAudio(utterance, tone(0.1, 16_000), 16_000)).toBe(false);
    expect(stage.addMark(utterance, 1)).toBe(false);
    expect(stage.interrupt()).toBe(0);
    stage.endUtterance(utterance);
    stage.requestKeyframe();
  });

  test("a callback may close the stage it is called by", async () => {
    let calls = 0;
    await new Promise<void>((resolve) => {
      const { stage } = openStage({
        onPackets: () => {
          calls += 1;
          void stage.close().then(resolve);
        },
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(calls).toBe(1);
  });

  test("a consumer that stalls gets a decodable stream again", async () => {
    const { stage, of, packets, until } = openStage();
    await until(() => of("video").length > 0);
    const before = packets.length;
    const stalled = performance.now();
    while (performance.now() - stalled < 2_600);
    await until(() => packets.slice(before).some((packet) => packet.kind === "video"));
    const after = packets.slice(before).filter((packet) => packet.kind === "video");
    const continues =
      after[0]!.timestamp - of("video")[of("video").indexOf(after[0]!) - 1]!.timestamp === 3600;
    expect(continues || after[0]!.keyframe).toBe(true);
    expect(packets.length - before).toBeLessThan(200);
    await stage.close();
  });

  test.each<[string, (stage: Stage) => unknown, typeof Error, RegExp]>([
    [
      "pcm as a plain array",
      (stage) => stage.pushAudio(1, [1, 2] as unknown as Int16Array, 16_000),
      TypeError,
      /pcm must be an Int16Array/,
    ],
    [
      "a rate of 96 kHz",
      (stage) => stage.pushAudio(1, new Int16Array(4), 96_000),
      RangeError,
      /sampleRate must be within 8000\.\.48000/,
    ],
    [
      "an utterance that is a string",
      (stage) => stage.endUtterance("1" as unknown as number),
      TypeError,
      /utterance must be a number/,
    ],
    ["a negative mark", (stage) => stage.addMark(1, -1), RangeError, /mark must be within/],
    [
      "a bit rate that is no number",
      (stage) => stage.setVideoBitrate(Number.NaN),
      RangeError,
      /bps must be within/,
    ],
  ])("refuses %s", async (_, call, type, message) => {
    const { stage } = openStage();
    expect(() => call(stage)).toThrow(type);
    expect(() => call(stage)).toThrow(message);
    await stage.close();
  });

  test.each<[string, Partial<Record<keyof StageOptions, unknown>>, RegExp]>([
    ["no callback", { onPackets: undefined }, /onPackets is missing/],
    ["a callback that is none", { onEvent: 5 }, /onEvent must be a function/],
    ["24 frames a second", { fps: 24 }, /fps must be within 25\.\.30/],
    ["27 frames a second", { fps: 27 }, /fps must be 25 or 30/],
    ["a bit rate out of range", { videoBitrateBps: 1 }, /videoBitrateBps must be within/],
    ["an avatar that is not there", { avatarDir: "/nonexistent/visavis" }, /rig\.vvr/],
    ["a net that is not there", { netPath: "/nonexistent/visavis.vvn" }, /visavis\.vvn/],
  ])("is not made of %s", (_, change, message) => {
    expect(() => openStage(change as Partial<StageOptions>)).toThrow(message);
  });
});

describe("lifetimes", () => {
  const script = (body: string) => `
    import { Stage } from ${JSON.stringify(bindingUrl)};
    const open = () => new Stage({
      avatarDir: ${JSON.stringify(avatarDir)},
      onPackets() { globalThis.packets = (globalThis.packets ?? 0) + 1; },
      onEvent() {},
    });
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const flowing = async () => { while (!globalThis.packets) await sleep(5); };
    ${body}`;
  const node = (body: string, ...flags: string[]) =>
    run(process.execPath, [...flags, "--input-type=module", "-e", script(body)]);

  test("a stage that nobody closed does not keep the process alive", async () => {
    await node("globalThis.stage = open(); await flowing();");
  });

  test("process.exit() may come at any time", async () => {
    await Promise.all(
      [0, 30, 110].map((ms) => node(`globalThis.stage = open(); await sleep(${ms}); process.exit(0);`)),
    );
  });

  test("a stage that is forgotten is collected, and its thread with it", async () => {
    const { stdout } = await node(
      `import { readdirSync } from "node:fs";
       const threads = () => readdirSync("/proc/self/task").length;
       await open().close();
       const before = threads();
       (() => { for (let i = 0; i < 5; i++) open(); })();
       const during = threads();
       for (let i = 0; i < 50 && threads() > before; i++) { gc(); await sleep(20); }
       console.log(during - before, threads() - before);`,
      "--expose-gc",
    );
    expect(stdout.trim()).toBe("5 0");
  });

  test("workers have stages of their own, and take them along when they end", async () => {
    for (const ending of ["process.exit(0)", "await sleep(1e6)", "await stage.close()", "stage.close()"]) {
      const worker = new Worker(
        new URL(
          `data:text/javascript,${encodeURIComponent(
            script(`
              import { parentPort } from "node:worker_threads";
              const stage = open();
              await flowing();
              parentPort.postMessage(globalThis.packets);
              ${ending};`),
          )}`,
        ),
      );
      const [packets] = (await once(worker, "message")) as [number];
      expect(packets).toBeGreaterThan(0);
      await worker.terminate();
    }
  });
});

test("visemes of a clip, and of nothing", () => {
  const { hopMs, weights } = visemesOf(tone(1, 22_050), 22_050);
  expect(hopMs).toBe(10);
  expect(weights.length).toBe(100 * 15);
  for (let row = 0; row < 100; row++) {
    const sum = weights.subarray(row * 15, row * 15 + 15).reduce((total, weight) => total + weight, 0);
    expect(sum).toBeLessThanOrEqual(1.001);
  }
  expect(visemesOf(new Int16Array(0), 16_000).weights.length).toBe(0);
  expect(() => visemesOf(tone(1, 16_000), 4_000)).toThrow(RangeError);
});

test("a GPU is found, or why there is none is said", async () => {
  const { gpu, gpuOff } = await findGpu();
  expect([gpu, gpuOff].filter((said) => said !== "")).toHaveLength(1);
  if (!build.cuda) expect(gpuOff).toBe("built without CUDA");
});

test("the build tells what it holds", () => {
  expect(build).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    encoders: ["libx264"],
    cuda: expect.any(Boolean),
    recogniser: true,
  });
});
