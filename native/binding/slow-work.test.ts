// Builds last seconds: they give way to whatever else wants the cores, and keep nobody waiting but who asked for them.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buildAvatar } from "./index.js";
import { plainFace } from "./plain-face.ts";

const run = promisify(execFile);
// On a busy machine what gives way waits long.
vi.setConfig({ testTimeout: 300_000 });
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "visavis-slow-"));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

const outDir = () => mkdtemp(join(root, "out-"));

/** A build that takes a while, for code that runs elsewhere. */
async function script(body: string): Promise<string> {
  const { rgb, landmarks, ...options } = await plainFace(await outDir());
  return `
    import { readFile } from "node:fs/promises";
    import { buildAvatar } from ${JSON.stringify(new URL("./index.js", import.meta.url).href)};
    const build = () => buildAvatar({
      ...${JSON.stringify({ ...options, loopSeconds: 6 })},
      rgb: new Uint8Array(${rgb.length}).fill(128),
      landmarks: Float32Array.from(${JSON.stringify([...landmarks])}),
    });
    ${body}`;
}

/** How nice each thread of a name is. */
async function nicesOf(name: string): Promise<number[]> {
  const found: number[] = [];
  for (const thread of await readdir("/proc/self/task")) {
    const stat = await readFile(`/proc/self/task/${thread}/stat`, "utf8").catch(() => "");
    if (!stat.includes(`(${name})`)) continue;
    found.push(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]));
  }
  return found;
}

test("a build has a thread of its own, which is nicer than we are and ends with it", async () => {
  const [own] = await nicesOf((await readFile("/proc/self/comm", "utf8")).trim());
  const building = buildAvatar({ ...(await plainFace(await outDir())), loopSeconds: 6 });
  let over = false;
  void building.finally(() => (over = true));
  let seen: number[] = [];
  while (!over && seen[0] !== Math.min((own ?? 0) + 10, 19)) seen = await nicesOf("visavis-build");
  expect(seen).toEqual([Math.min((own ?? 0) + 10, 19)]);
  await building;
  expect(await nicesOf("visavis-build")).toEqual([]);
});

test("files are read while a build goes on, on however few threads", async () => {
  const code = await script(`
    const order = [];
    const building = build().then(() => order.push("built"));
    await readFile("/proc/self/status");
    order.push("read");
    await building;
    console.log(order.join());`);
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { env });
  expect(stdout.trim()).toBe("read,built");
});

test("a process may end while a build goes on", async () => {
  const ends = [
    "process.exit(0)",
    "setTimeout(() => process.exit(0), 50)",
    "setImmediate(() => process.exit(0))",
  ];
  for (const end of ends) {
    const code = await script(`void build(); void build().catch(() => {}); ${end};`);
    await run(process.execPath, ["--input-type=module", "-e", code]);
  }
});

test("a worker may end while a build goes on, and the process goes on", async () => {
  for (const end of ["process.exit(0)", "await new Promise(() => setInterval(() => {}, 1000))"]) {
    const code = await script(`
      import { parentPort } from "node:worker_threads";
      void build();
      parentPort.postMessage("building");
      ${end};`);
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    await once(worker, "message");
    await worker.terminate();
  }
  expect(await nicesOf("visavis-build")).toEqual([]);
});
