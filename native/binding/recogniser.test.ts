import { execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Recogniser, type RecogniserOptions } from "./index.js";

const run = promisify(execFile);
const bindingUrl = new URL("./index.js", import.meta.url).href;
const silence = (seconds: number) => new Int16Array(seconds * 16_000);
/** Words of a kind: the decoder has to work for them. */
const noise = (seconds: number) => {
  let state = 1;
  return Int16Array.from({ length: seconds * 16_000 }, (_, i) => {
    state = (state * 16_807) % 2_147_483_647;
    const loud = Math.floor(i / 1_600) % 3 !== 0;
    return loud ? ((state % 8_000) - 4_000) * Math.sin(i / 40) : state % 40;
  });
};

describe("a recogniser", () => {
  let hypotheses: string[];
  let recogniser: Recogniser;
  beforeEach(() => {
    hypotheses = [];
    recogniser = new Recogniser({ onHypothesis: (text) => hypotheses.push(text) });
  });
  afterEach(() => recogniser.close());

  test("gets ready, takes sound, and settles turns in order", async () => {
    expect(recogniser.ready).toBe(recogniser.ready);
    expect(recogniser.push(silence(1))).toBe(true);
    const turns = [recogniser.settle(), recogniser.settle()];
    await expect(recogniser.ready).resolves.toBeUndefined();
    expect(await Promise.all(turns)).toEqual(["", ""]);
    expect(hypotheses.join("")).toBe("");
  });

  test("takes no more than 30 seconds ahead of the decoder", async () => {
    expect(recogniser.push(silence(30))).toBe(true);
    expect(recogniser.push(silence(31))).toBe(false);
    recogniser.drop();
    recogniser.beginSpeaker();
    expect(await recogniser.settle()).toBe("");
  });

  test("rejects what waits when it is closed, and is silent afterwards", async () => {
    await recogniser.ready;
    recogniser.push(noise(20));
    const settling = recogniser.settle();
    const closing = recogniser.close();
    const count = hypotheses.length;
    await expect(settling).rejects.toThrow("the recogniser was closed");
    await Promise.all([closing, recogniser.close()]);
    expect(hypotheses.length).toBe(count);
    expect(recogniser.push(silence(1))).toBe(false);
    await expect(recogniser.settle()).rejects.toThrow("the recogniser was closed");
    recogniser.drop();
    recogniser.beginSpeaker();
  });

  test("closed while it loads, it never gets ready", async () => {
    const closing = recogniser.close();
    await expect(recogniser.ready).rejects.toThrow("the recogniser was closed");
    await closing;
  });

  test("refuses sound that is none", () => {
    expect(() => recogniser.push([1, 2] as unknown as Int16Array)).toThrow(TypeError);
    expect(() => recogniser.push(undefined as unknown as Int16Array)).toThrow(/pcm must be an Int16Array/);
  });
});

test.each<[string, unknown, RegExp]>([
  ["no options", undefined, /options must be an object/],
  ["no callback", {}, /onHypothesis is missing/],
  ["a callback that is none", { onHypothesis: 5 }, /onHypothesis must be a function/],
  ["a second callback that is none", { onHypothesis() {}, onFailed: 5 }, /onFailed must be a function/],
  ["a folder that is a number", { onHypothesis() {}, modelDir: 7 }, /modelDir must be a string/],
])("is not made of %s", (_, options, message) => {
  expect(() => new Recogniser(options as RecogniserOptions)).toThrow(TypeError);
  expect(() => new Recogniser(options as RecogniserOptions)).toThrow(message);
});

test("a model that is missing is a readable rejection, whether or not anybody waits for it", async () => {
  const failures: string[] = [];
  const onFailed = (message: string) => failures.push(message);
  const recogniser = new Recogniser({ onHypothesis() {}, onFailed, modelDir: "/nonexistent/visavis" });
  await expect(recogniser.settle()).rejects.toThrow("the speech model lacks /nonexistent/visavis/en-us");
  await expect(recogniser.ready).rejects.toThrow("the speech model lacks /nonexistent/visavis/en-us");
  await expect(recogniser.settle()).rejects.toThrow("the speech model lacks");
  expect(recogniser.push(silence(1))).toBe(false);
  expect(failures).toEqual(["the speech model lacks /nonexistent/visavis/en-us"]);
  await recogniser.close();
  expect(failures).toHaveLength(1);
});

describe("lifetimes", () => {
  const script = (body: string) => `
    import { Recogniser } from ${JSON.stringify(bindingUrl)};
    const open = () => new Recogniser({ onHypothesis() {} });
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const sound = Int16Array.from({ length: 160_000 }, () => (Math.random() - 0.5) * 8_000);
    ${body}`;
  const node = (body: string, ...flags: string[]) =>
    run(process.execPath, [...flags, "--input-type=module", "-e", script(body)]);

  test("it does not keep the process alive, and writes nothing of its own", async () => {
    const alive = await node("globalThis.kept = open(); kept.push(sound); await sleep(900);");
    expect(alive).toEqual({ stdout: "", stderr: "" });
  });

  test("process.exit() may come at any time", async () => {
    for (const ms of [0, 100, 900])
      await node(`globalThis.kept = open(); kept.push(sound); await sleep(${ms}); process.exit(0);`);
  });

  test("one that is forgotten is collected, and its thread with it", async () => {
    const { stdout } = await node(
      `import { readdirSync } from "node:fs";
       const threads = () => readdirSync("/proc/self/task").length;
       const first = open();
       const alive = setInterval(() => {}, 1000);
       await first.ready;
       clearInterval(alive);
       await first.close();
       const before = threads();
       (() => { for (let i = 0; i < 2; i++) open(); })();
       const during = threads();
       for (let i = 0; i < 250 && threads() > before; i++) { gc(); await sleep(20); }
       console.log(during - before, threads() - before);`,
      "--expose-gc",
    );
    expect(stdout.trim()).toBe("2 0");
  });

  test("workers take theirs along when they end", async () => {
    for (const ending of ["process.exit(0)", "await sleep(1e6)", "recogniser.close()"]) {
      const body = `
        import { parentPort } from "node:worker_threads";
        const recogniser = open();
        recogniser.push(sound);
        parentPort.postMessage("open");
        ${ending};`;
      const url = new URL(`data:text/javascript,${encodeURIComponent(script(body))}`);
      const worker = new Worker(url);
      await once(worker, "message");
      await worker.terminate();
    }
  });

  test("a worker that had the addon to itself may end while the model loads", async () => {
    const { stdout } = await node(
      `import { Worker } from "node:worker_threads";
       const body = \`
         import(${JSON.stringify(bindingUrl)}).then(({ Recogniser }) => {
           globalThis.kept = new Recogniser({ onHypothesis() {} });
           process.exit(0);
         });\`;
       const worker = new Worker(body, { eval: true });
       await new Promise((resolve) => worker.once("exit", resolve));
       const { readFileSync, readdirSync } = await import("node:fs");
       // Its code has to stay where the loading thread runs in it, which ends in its time.
       const mapped = () => readFileSync("/proc/self/maps", "utf8").includes("visavis.node");
       const threads = readdirSync("/proc/self/task").length;
       for (let i = 0; i < 100 && readdirSync("/proc/self/task").length >= threads; i++) await sleep(20);
       console.log(mapped());`,
    );
    expect(stdout.trim()).toBe("true");
  });
});
