import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../ops/log.ts";
import { Outbox, type OutboxOptions } from "./outbox.ts";
import type { Report } from "./reports.ts";

let home: string;
let dir: string;
let said: string[];
let open: Outbox[];
/** Refuses while true. */
let away: boolean;
let arrived: number[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "visavis-outbox-"));
  dir = join(home, "outbox");
  [said, open, away, arrived] = [[], [], true, []];
});
afterEach(async () => {
  await Promise.all(open.map((outbox) => outbox.close()));
  await rm(home, { recursive: true, force: true });
});

const log = () =>
  createLog(
    "info",
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        for (const line of chunk.toString().trim().split("\n")) said.push(String(JSON.parse(line).msg));
        done();
      },
    }),
  );

const numberOf = ({ body }: Report) => (body as { count: number }).count;

function start(options: Partial<OutboxOptions> = {}): Outbox {
  const outbox = new Outbox({
    dir,
    log: log(),
    retryMs: 1,
    deliver: (report) => {
      if (away) return Promise.reject(new Error("the portal is gone"));
      arrived.push(numberOf(report));
      return Promise.resolve();
    },
    ...options,
  });
  open.push(outbox);
  return outbox;
}

const report = (count: number, words = "hello"): Report => ({ path: "/line", body: { count, words } });
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const files = async () => (await readdir(dir)).toSorted();
const kept = async () =>
  (await Promise.all((await files()).map((name) => readFile(join(dir, name), "utf8")))).join("");

test("what the portal does not take waits on disk for the next start, for the box alone to read", async () => {
  const first = start();
  for (const count of range(1, 20)) first.add(report(count));
  await first.close();
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  for (const name of await files()) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  away = false;
  const next = start();
  next.add(report(21));
  await next.passed();
  expect(arrived).toEqual(range(1, 21));
});

test("what is reported while the disk writes is kept as well", async () => {
  const outbox = start();
  for (const count of range(1, 200)) {
    outbox.add(report(count));
    if (count % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await outbox.close();
  away = false;
  await start().passed();
  expect(arrived).toEqual(range(1, 200));
});

test("what was taken leaves the disk, and is not sent again", async () => {
  away = false;
  const outbox = start({ fileBytes: 200 });
  for (const count of range(1, 50)) outbox.add(report(count, "a secret"));
  await outbox.passed();
  await outbox.synced();
  expect(await kept()).not.toContain("a secret");
  await outbox.close();
  expect(await files()).toEqual([]);
  start();
  expect(arrived).toEqual(range(1, 50));
});

test("of a journal taken in part only the rest is sent again", async () => {
  const outbox = start({
    fileBytes: 300,
    deliver: (one) => {
      if (numberOf(one) > 10) return Promise.reject(new Error("the portal is gone"));
      arrived.push(numberOf(one));
      return Promise.resolve();
    },
  });
  for (const count of range(1, 30)) outbox.add(report(count));
  await expect.poll(() => arrived.length).toBe(10);
  await outbox.close();
  away = false;
  await start().passed();
  expect(arrived).toEqual(range(1, 30));
});

test("killed at any moment, nothing that was on disk is lost, and nothing is out of order", async () => {
  const script = fileURLToPath(new URL("../testing/reporting-child.ts", import.meta.url));
  for (const lines of [1, 40, 111]) {
    const child = spawn(process.execPath, [script, dir], { stdio: ["ignore", "pipe", "inherit"] });
    let safe = 0;
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      safe = Number(line);
      if (++seen === lines) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    expect(child.signalCode).toBe("SIGKILL");
    [away, arrived] = [false, []];
    const outbox = start();
    await outbox.passed();
    await outbox.close();
    expect(arrived.length).toBeGreaterThanOrEqual(safe);
    expect(arrived).toEqual(range(1, arrived.length));
    expect(await files()).toEqual([]);
  }
});

test("a tail that was cut short, and lines that are spoilt, are passed over", async () => {
  const outbox = start({ fileBytes: 400 });
  for (const count of range(1, 12)) {
    outbox.add(report(count));
    await outbox.synced();
  }
  await outbox.close();
  const names = await files();
  const [first = "", last = ""] = [names[0], names.at(-1)];
  expect(first).not.toBe(last);
  const text = await readFile(join(dir, first), "utf8");
  await writeFile(join(dir, first), text.replace('"count":2,', '"count":9,'));
  await truncate(join(dir, last), (await stat(join(dir, last))).size - 9);
  await appendFile(join(dir, last), Buffer.from([0, 255, 13, 10, 0]));
  await writeFile(join(dir, "000000000999999.journal"), "nonsense\n\n12345678 {}\n");
  away = false;
  const next = start();
  next.add(report(13));
  await next.passed();
  expect(arrived).toEqual([1, ...range(3, 11), 13]);
  expect(said.filter((line) => line.includes("cut short"))).toHaveLength(1);
  await next.close();
  expect(await files()).toEqual([]);
});

test("a disk that takes nothing is said once, and costs nothing while the process lives", async () => {
  await writeFile(dir, "no folder");
  const outbox = start();
  for (const count of range(1, 5)) {
    outbox.add(report(count));
    await outbox.synced();
  }
  expect(said.filter((line) => line.includes("stay in memory"))).toHaveLength(1);
  away = false;
  await outbox.passed();
  expect(arrived).toEqual(range(1, 5));
});

test("the oldest are given up where too many wait, in number or in size, and that is said once", async () => {
  for (const bounds of [{ capacity: 10 }, { sizeMax: 600 }]) {
    [away, arrived, said] = [true, [], []];
    const outbox = start({ ...bounds, fileBytes: 200 });
    for (const count of range(1, 100)) outbox.add(report(count));
    await outbox.close();
    expect(said.filter((line) => line.includes("given up"))).toHaveLength(1);
    expect((await kept()).split("\n").filter((line) => line.includes("hello")).length).toBeLessThan(20);
    away = false;
    const next = start(bounds);
    await next.passed();
    await next.close();
    expect(arrived.length).toBeGreaterThan(5);
    expect(arrived).toEqual(range(101 - arrived.length, 100));
  }
});

test("a lapse of the portal is one line in the log", async () => {
  const outbox = start();
  outbox.add(report(1));
  await expect.poll(() => said.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  away = false;
  await outbox.passed();
  expect(said).toEqual(["reports do not reach the portal; they are kept", "reports reach the portal again"]);
});

test("a journal that the disk does not give away is left beside the others, and its numbers spoil nothing", async () => {
  const elsewhere = join(home, "elsewhere");
  await Promise.all([mkdir(dir), mkdir(elsewhere)]);
  // A folder cannot be read as a file, whoever asks.
  await symlink(elsewhere, join(dir, "000000000000001.journal"));
  const outbox = start();
  outbox.add(report(1));
  await outbox.synced();
  away = false;
  await outbox.passed();
  await outbox.close();
  expect(arrived).toEqual([1]);
  expect(await files()).toEqual(["000000000000001.journal.unreadable"]);
  expect(said.filter((line) => line.includes("could not be read"))).toHaveLength(1);
});

test("whether the disk has it is answered", async () => {
  const outbox = start();
  outbox.add(report(1));
  expect(await outbox.synced()).toBe(true);
  await rm(dir, { recursive: true });
  await writeFile(dir, "no folder");
  const without = start();
  without.add(report(2));
  expect(await without.synced()).toBe(false);
  expect(await start({ dir: null }).synced()).toBe(true);
});

test("a report that the portal fails at time and again makes way, and is kept aside for a month", async () => {
  const fault = new Error("it fails at this one");
  let lapses = 3;
  const options = {
    mostFaults: 4,
    isFault: (error: unknown) => error === fault,
    deliver: (one: Report) => {
      // A portal that is away is no fault of the report.
      if (lapses-- > 0) return Promise.reject(new Error("away"));
      if (numberOf(one) === 2) return Promise.reject(fault);
      arrived.push(numberOf(one));
      return Promise.resolve();
    },
  };
  const outbox = start(options);
  for (const count of range(1, 4)) outbox.add(report(count));
  await outbox.passed();
  expect(arrived).toEqual([1, 3, 4]);
  const aside = join(dir, "set-aside");
  const [name = ""] = await readdir(aside);
  expect(JSON.parse(await readFile(join(aside, name), "utf8"))).toEqual(report(2));
  expect((await stat(join(aside, name))).mode & 0o777).toBe(0o600);
  expect(said.filter((line) => line.includes("makes way"))).toHaveLength(1);
  await outbox.close();
  await start(options).close();
  expect(await readdir(aside)).toEqual([name]);
  const longAgo = Date.now() / 1000 - 31 * 24 * 3600;
  await utimes(join(aside, name), longAgo, longAgo);
  start(options);
  await expect.poll(() => readdir(aside)).toEqual([]);
});
