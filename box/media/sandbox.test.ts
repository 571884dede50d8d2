// A shell stands in for the programs: it can be told to misbehave.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findConfinement } from "./confinement.ts";
import { findPrograms } from "./programs.ts";
import type { RunRequest, RunResult } from "./run.ts";
import { Sandbox, SandboxClosed } from "./sandbox.ts";

let parent: string;
let sandbox: Sandbox;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "visavis-sandbox-"));
  const found = findPrograms();
  if (found.case === "missing") throw new Error(`Please install ${found.missing.join(", ")}.`);
  sandbox = new Sandbox({ programs: { ...found.programs, ffmpeg: "/bin/sh" }, folder: parent });
});

afterEach(async () => {
  await sandbox.close();
  expect(sandbox.pids).toEqual([]);
  expect(await readdir(parent)).toEqual([]);
  await rm(parent, { recursive: true });
});

function shell(script: string, change: Partial<RunRequest> = {}): Promise<RunResult> {
  return sandbox.enter(
    (folder) =>
      sandbox.run({
        program: "ffmpeg",
        args: ["-c", script],
        limits: { addressSpaceBytes: 256 * 2 ** 20, cpuSeconds: 5, fileBytes: 4096 },
        timeoutMs: 20_000,
        outputBytes: 64 * 1024,
        folder,
        ...change,
      }),
    change.signal,
  );
}

test("it answers what the program said and how it ended", async () => {
  const result = await shell("echo out; echo err >&2; exit 3");
  expect(result).toMatchObject({ end: "exit", code: 3, complaints: "err\n" });
  expect(result.output.toString()).toBe("out\n");
});

test("none of our environment gets in, and nothing can be typed", async () => {
  process.env.VISAVIS_TEST_SECRET = "hunter2";
  try {
    const { output } = await shell("/usr/bin/env; cat");
    expect(output.toString()).toMatch(/^HOME=/m);
    expect(output.toString()).not.toMatch(/hunter2|PATH=.*node_modules/);
  } finally {
    delete process.env.VISAVIS_TEST_SECRET;
  }
});

test("it runs in an empty folder of its own, at low priority, without core dumps, never to gain a power", async () => {
  const { output } = await shell("ls -A; pwd; nice; ulimit -c; ulimit -n; grep NoNewPrivs /proc/self/status");
  const [folder, nice, ...rest] = output.toString().trim().split("\n");
  expect(folder?.startsWith(join(parent, `visavis-media-${process.pid}-`))).toBe(true);
  expect(Number(nice)).toBe(Math.min(19, getPriority() + 10));
  expect(rest).toEqual(["0", "64", "NoNewPrivs:\t1"]);
});

test("time is limited: that of the clock and that of the processor", async () => {
  expect(await shell("exec sleep 60", { timeoutMs: 100 })).toMatchObject({ end: "timeout", code: null });
  const limits = { addressSpaceBytes: 256 * 2 ** 20, cpuSeconds: 1, fileBytes: 0 };
  expect(await shell("while :; do :; done", { limits, timeoutMs: 60_000 })).toMatchObject({ end: "signal" });
});

test("memory is limited", async () => {
  // Without a line in it, all of the input is one line that must be held.
  const { complaints } = await shell("head -c 400000000 /dev/zero | tail -n 1 | wc -c");
  expect(complaints).toMatch(/memory/i);
});

test("files are limited", async () => {
  const result = await shell("head -c 100000 /dev/zero > large; ls -l large | cut -d' ' -f5");
  expect(result.output.toString().trim()).toBe("4096");
});

test("who says too much is ended, and of complaints the end is kept", async () => {
  expect(await shell("exec cat /dev/zero")).toMatchObject({ end: "overflow", code: null });
  const { complaints } = await shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
  expect(complaints.length).toBeLessThanOrEqual(4096);
  expect(complaints).toMatch(/line 2999\n$/);
});

test("an abort ends it, before it starts as well as in the middle", async () => {
  const early = AbortSignal.abort(new Error("early"));
  await expect(shell("echo", { signal: early })).rejects.toThrow("early");
  const late = new AbortController();
  const run = shell("exec sleep 60", { signal: late.signal });
  await expect.poll(() => sandbox.pids.length).toBe(1);
  late.abort(new Error("late"));
  await expect(run).rejects.toThrow("late");
});

test("two run at once, and closing ends them and those that wait", async () => {
  const runs = Array.from({ length: 5 }, () =>
    shell("exec sleep 60").then(
      () => "done",
      (error: unknown) => (error instanceof SandboxClosed ? "closed" : String(error)),
    ),
  );
  await expect.poll(() => sandbox.pids.length).toBe(2);
  const pids = sandbox.pids;
  await sandbox.close();
  expect(await Promise.all(runs)).toEqual(runs.map(() => "closed"));
  for (const pid of pids) expect(existsSync(`/proc/${pid}`)).toBe(false);
  await expect(shell("echo")).rejects.toThrow(SandboxClosed);
});

test("what it started itself ends with it", async () => {
  const abort = new AbortController();
  const child = join(parent, "child");
  const limits = { addressSpaceBytes: 256 * 2 ** 20, cpuSeconds: 5, fileBytes: 4096 };
  const run = shell(`sleep 600 & echo $! > '${child}'; wait`, { signal: abort.signal, limits, isOurs: true });
  const pidOf = async () => Number(await readFile(child, "utf8").catch(() => ""));
  await expect.poll(pidOf).toBeGreaterThan(0);
  const pid = await pidOf();
  abort.abort(new Error("enough"));
  await expect(run).rejects.toThrow("enough");
  await expect.poll(() => isRunning(pid)).toBe(false);
  await rm(child);
});

// Ctrl-C at a terminal reaches the whole group: a program that died of it would be taken for one that failed.
test("what its group is told leaves a program alone; when we are killed it dies as well", async () => {
  const script = `
    import { Sandbox } from ${JSON.stringify(new URL("sandbox.ts", import.meta.url).href)};
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => console.log(signal));
    const sandbox = new Sandbox(${JSON.stringify({ programs: sandbox.programs, folder: parent })});
    void sandbox.enter((folder) => sandbox.run({
      program: "ffmpeg", args: ["-c", "exec sleep 60"], timeoutMs: 60_000, outputBytes: 0, folder,
      limits: { addressSpaceBytes: 2 ** 28, cpuSeconds: 5, fileBytes: 0 },
    }).then(() => console.log("ended")));
    const shown = setInterval(() => {
      if (sandbox.pids.length > 0) { clearInterval(shown); console.log("pid", sandbox.pids[0]); }
    }, 20);`;
  const box = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  box.stdout.on("data", (text: Buffer) => (said += String(text)));
  await expect.poll(() => said).toMatch(/pid \d+\n/);
  const pid = Number(/pid (\d+)/.exec(said)?.[1]);
  // It is what it was told to be, and no longer one of those that start it.
  await expect.poll(() => commandOf(pid)).toContain("sleep");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(-(box.pid ?? 0), signal);
  await expect.poll(() => said).toMatch(/SIGINT[^]*SIGTERM|SIGTERM[^]*SIGINT/);
  expect(isRunning(pid)).toBe(true);
  expect(said).not.toContain("ended");
  const gone = once(box, "close");
  box.kill("SIGKILL");
  await gone;
  await expect.poll(() => isRunning(pid)).toBe(false);
  for (const left of await readdir(parent)) await rm(join(parent, left), { recursive: true });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** One that has ended and waits for its parent to notice has no command any more. */
const isRunning = (pid: number) => commandOf(pid) !== "";

test("what it leaves in its folder goes with it", async () => {
  await sandbox.enter((folder) => writeFile(join(folder, "left"), "over"));
  expect(await readdir(parent)).toEqual([]);
  await expect(sandbox.enter(() => Promise.reject(new Error("fault")))).rejects.toThrow("fault");
});

test.runIf(process.getuid?.() === 0)("under root it is nobody, who reads nothing of ours", async () => {
  const secret = join(parent, "secret");
  await writeFile(secret, "hunter2", { mode: 0o600 });
  const look = `cat '${secret}'; grep -E '^(Uid|Gid|Groups|CapEff):' /proc/self/status`;
  const { output } = await shell(look);
  const said = output.toString().trim().split(/\s+/).join(" ");
  expect(said).toBe(
    "Uid: 65534 65534 65534 65534 Gid: 65534 65534 65534 65534 Groups: CapEff: 0000000000000000",
  );
  // What we made ourselves may be opened as who we are.
  expect((await shell(look, { isOurs: true })).output.toString()).toContain("hunter2");
  await rm(secret);
});

test("files are brought to it and back, whoever it is", async () => {
  const [given, made] = [join(parent, "given"), join(parent, "made")];
  await writeFile(given, "some sound", { mode: 0o600 });
  await sandbox.enter(async (folder, files) => {
    const plain = (name: string) => name.replace(/^file:/, "");
    const command = `tr a-z A-Z < '${plain(await files.input(given))}' > '${plain(files.output(made))}'`;
    const result = await sandbox.run({
      program: "ffmpeg",
      args: ["-c", command],
      limits: { addressSpaceBytes: 256 * 2 ** 20, cpuSeconds: 5, fileBytes: 4096 },
      timeoutMs: 20_000,
      outputBytes: 0,
      folder,
    });
    expect(result).toMatchObject({ code: 0, complaints: "" });
    await files.take(made);
  });
  expect(await readFile(made, "utf8")).toBe("SOME SOUND");
  const { uid, gid } = await stat(made);
  expect([uid, gid]).toEqual([process.getuid?.(), process.getgid?.()]);
  expect(await readFile(given, "utf8")).toBe("some sound");
  expect((await stat(given)).uid).toBe(process.getuid?.());
  await Promise.all([rm(given), rm(made)]);
});

test("where the machine lets us take the network away, there is none", async ({ skip }) => {
  if (sandbox.confinement.offline.length === 0) skip();
  const { output } = await shell("readlink /proc/self/ns/net; tail -n +3 /proc/net/dev");
  const [space, ...devices] = output.toString().trim().split("\n");
  expect(space).not.toBe(await readlink("/proc/self/ns/net"));
  expect(devices.filter((line) => !line.trim().startsWith("lo:"))).toEqual([]);
});

test("a machine that forbids it all runs the programs as they are", () => {
  const programs = { ...sandbox.programs, unshare: "/bin/false", setpriv: "/bin/false" };
  expect(findConfinement(programs, true)).toEqual({ offline: [], asNobody: [] });
  const { unshare: _, ...without } = sandbox.programs;
  expect(findConfinement(without, false)).toEqual({ offline: [], asNobody: [] });
});
