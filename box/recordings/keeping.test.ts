// What is kept of recordings, and for how long, when things go wrong.

import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunResult } from "../media/run.ts";
import { judge } from "../media/input.ts";
import { MediaError } from "../media/media.ts";
import { createLog } from "../ops/log.ts";
import { PortalError } from "../portal/client.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { Recordings, type RecordingsOptions } from "./recordings.ts";

const now = () => Math.floor(Date.now() / 1000);
const daySeconds = 24 * 3600;
const refusal = (status: number, code: string) =>
  new PortalError("/internal/sessions/recording", status, { error: { code, message: "No." } });

let stateDir: string;
let media: FakeMediaFiles;
let said: { level: number; msg: string }[];
let open: Recordings[];
let grants: number;
/** What the portal and its storage do, in turn; nothing left: they take it. */
let answers: { grant?: Error; put?: number; close?: Error }[];
let known: boolean;
let done: string[];
let storage: { url: string; close(): void };

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "visavis-keeping-"));
  media = new FakeMediaFiles();
  [said, open, grants, answers, known, done] = [[], [], 0, [], true, []];
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => response.writeHead(answers[grants - 1]?.put ?? 200).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  storage = {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
});
afterEach(async () => {
  await Promise.all(open.map((recordings) => recordings.close()));
  storage.close();
  await rm(stateDir, { recursive: true, force: true });
});

const log = () =>
  createLog(
    "info",
    new Writable({
      write(chunk: Buffer, _encoding, written) {
        for (const line of chunk.toString().trim().split("\n")) said.push(JSON.parse(line));
        written();
      },
    }),
  );

async function start(changes: Partial<RecordingsOptions> & { alone?: boolean } = {}): Promise<Recordings> {
  const { alone = false, ...options } = changes;
  const recordings = new Recordings({
    config: { recordings: true, stateDir, portal: alone ? null : { url: storage.url, secret: "s" } },
    portal: {
      recordingTerms: () => Promise.resolve({ version: "v", digest: "d" }),
      reported: () => Promise.resolve(),
      sessionKept: () => known,
      grantRecording: () => {
        const { grant } = answers[grants++] ?? {};
        if (grant) return Promise.reject(grant);
        return Promise.resolve({ url: storage.url, method: "PUT" as const, headers: {}, expires_in: 900 });
      },
      closeRecording: ({ session_id: id }) => {
        const { close } = answers[grants - 1] ?? {};
        if (close) return Promise.reject(close);
        done.push(id);
        return Promise.resolve();
      },
    },
    media,
    hub: { publish: () => undefined },
    log: log(),
    retryMs: 1,
    ...options,
  });
  open.push(recordings);
  await recordings.start();
  return recordings;
}

const cluster = Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x1f, 0x43, 0xb6, 0x75, 1, 2, 3]);

/** As a box that was killed leaves it. */
async function leave(
  id: string,
  { live = cluster, agreedAt = now() }: { live?: Buffer | null; agreedAt?: number } = {},
) {
  const dir = join(stateDir, "recordings", id);
  await mkdir(dir, { recursive: true });
  const agreement = {
    session_id: id.replace("failed/", ""),
    account: "a",
    terms_version: "v",
    terms_digest: "d",
    agreed_at: agreedAt,
  };
  await writeFile(join(dir, "consent.json"), JSON.stringify(agreement));
  if (live) await writeFile(join(dir, "live.mkv"), live);
}
const waiting = () => readdir(join(stateDir, "recordings"));
const failed = () => readdir(join(stateDir, "recordings", "failed")).catch(() => []);
const errors = () => said.filter(({ level }) => level >= 50).map(({ msg }) => msg);
const rounds = (count: number, answer: (typeof answers)[number]) =>
  Array.from({ length: count }, () => answer);

const result = (changes: Partial<RunResult>): RunResult => ({
  end: "signal",
  code: null,
  killedBy: "SIGKILL",
  output: Buffer.alloc(0),
  complaints: "",
  ...changes,
});

test.each<[Partial<RunResult>, string | null]>([
  [{}, null],
  [{ killedBy: "SIGTERM" }, null],
  [{ killedBy: "SIGXCPU" }, "too_slow"],
  [{ killedBy: "SIGSEGV" }, "unreadable"],
  [{ end: "exit", code: 1, killedBy: null }, "unreadable"],
])("a program that ends with %j is the file's fault: %s", (changes, fault) => {
  let thrown: unknown = null;
  try {
    judge(result(changes), "video");
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown instanceof MediaError ? thrown.fault : null).toBe(fault);
});

test("programs that are killed while they finish it cost no recording", async () => {
  await leave("s1");
  try {
    judge(result({}), "video");
  } catch (error) {
    media.broken = error as Error;
  }
  await start();
  await expect.poll(() => media.calls.length).toBeGreaterThan(3);
  expect(await waiting()).toEqual(["s1"]);
  media.broken = null;
  await expect.poll(() => done).toEqual(["s1"]);
  await expect.poll(waiting).toEqual([]);
});

test("what cannot be read is set aside with an error, and holds up nobody", async () => {
  await leave("s1", { agreedAt: now() - 10 });
  await leave("s2");
  const mix = media.recording.bind(media);
  media.recording = (request) =>
    request.livePath.includes("s1") ? Promise.reject(new MediaError("unreadable", "No.")) : mix(request);
  await start();
  await expect.poll(() => done).toEqual(["s2"]);
  await expect.poll(failed).toEqual(["s1"]);
  expect((await readdir(join(stateDir, "recordings", "failed", "s1"))).toSorted()).toEqual([
    "consent.json",
    "live.mkv",
  ]);
  expect(errors()).toHaveLength(1);
});

test("what fails again and again is set aside after so many tries; what another life set aside waits there", async () => {
  await leave("s1");
  media.broken = new Error("no program");
  await (await start()).settled(AbortSignal.timeout(20_000));
  expect(media.calls).toHaveLength(10);
  expect([await waiting(), await failed()]).toEqual([["failed"], ["s1"]]);
  media.broken = null;
  await (await start()).settled(AbortSignal.timeout(20_000));
  expect([done, await failed()]).toEqual([[], ["s1"]]);
});

test.each([
  ["no file", null],
  ["an empty file", Buffer.alloc(0)],
  ["a header alone", cluster.subarray(0, 4)],
])("a session that left %s leaves nothing", async (_label, live) => {
  await leave("s1", { live });
  await start();
  await expect.poll(waiting).toEqual([]);
  expect([media.calls, errors(), done]).toEqual([[], [], []]);
});

test.each<[string, (typeof answers)[number]]>([
  ["a page of a proxy", { grant: new PortalError("/path", 404, "<html>") }],
  ["another service's 409", { grant: new PortalError("/path", 409, {}) }],
  ["terms it does not know", { grant: refusal(409, "terms_outdated") }],
  ["a session that is not there yet at the end", { close: refusal(404, "session_not_found") }],
  ["an upload that did not arrive", { close: refusal(404, "unknown_upload") }],
  ["a size that it refuses", { grant: refusal(400, "invalid_body") }],
  ["a storage that refuses", { put: 403 }],
  ["a storage that is down", { put: 503 }],
])("%s costs no recording", async (_label, answer) => {
  await leave("s1");
  answers = rounds(4, answer);
  await start();
  await expect.poll(() => done).toEqual(["s1"]);
  expect(grants).toBe(5);
  await expect.poll(waiting).toEqual([]);
  expect(errors()).toEqual([]);
});

test.each<[string, Error]>([
  ["a portal that never took the session's report", refusal(404, "session_not_found")],
  ["a portal that does not take the terms", refusal(409, "terms_outdated")],
])("%s has it set aside in the end, and never removed", async (_label, grant) => {
  known = false;
  await leave("s1");
  answers = rounds(99, { grant });
  await (await start()).settled(AbortSignal.timeout(20_000));
  expect([grants, await failed(), errors().length]).toEqual([10, ["s1"], 1]);
});

test("what a portal no longer knows that once knew it is removed, in another life too", async () => {
  await leave("s1");
  answers = [{ put: 503 }];
  const first = await start({ retryMs: 60_000 });
  await expect.poll(() => said.some(({ msg }) => msg.includes("does not reach"))).toBe(true);
  await first.close();
  known = false;
  answers = rounds(99, { grant: refusal(404, "session_not_found") });
  await start();
  await expect.poll(waiting).toEqual([]);
  expect(done).toEqual([]);
});

test("a portal that is away for long sets nothing aside", async () => {
  await leave("s1");
  answers = rounds(12, { grant: new PortalError("/path", 503) });
  await start();
  await expect.poll(() => done).toEqual(["s1"]);
});

test("a month is the end of whatever waits, or was set aside", async () => {
  await leave("s1", { agreedAt: now() - 31 * daySeconds });
  await leave("s2", { agreedAt: now() - 29 * daySeconds });
  await leave("failed/s3", { agreedAt: now() - 31 * daySeconds });
  await leave("failed/s4", { agreedAt: now() - 29 * daySeconds });
  answers = rounds(99, { put: 503 });
  await start({ retryMs: 60_000 });
  await expect.poll(async () => (await waiting()).toSorted()).toEqual(["failed", "s2"]);
  expect(await failed()).toEqual(["s4"]);
});

test("a box alone sends nothing, and keeps nothing for ever", async () => {
  await leave("s1", { agreedAt: now() - 31 * daySeconds });
  await leave("s2");
  const alone = await start({ alone: true });
  expect([alone.pending, await waiting(), media.calls, grants]).toEqual([0, ["s2"], [], 0]);
});

test("an agreement that the disk does not give away costs no recording", async () => {
  await leave("s1");
  const consent = join(stateDir, "recordings", "s1", "consent.json");
  await rm(consent);
  // A folder cannot be read as a file, whoever asks.
  await symlink(stateDir, consent);
  await start();
  expect(await waiting()).toEqual(["s1"]);
});

test("nobody may record where there is no room", async () => {
  const ask = { terms_version: "v", terms_digest: "d" };
  const refused = { code: "recordings_unavailable" };
  const roomy = { freeBytes: 0, totalBytes: 1024 ** 2 };
  await leave("failed/s1", { live: Buffer.alloc(256 * 1024, 7) });
  await expect((await start({ bounds: roomy })).agree(ask)).resolves.toMatchObject(ask);
  const full = await start({ bounds: { ...roomy, freeBytes: Number.MAX_SAFE_INTEGER } });
  await expect(full.agree(ask)).rejects.toMatchObject(refused);
  const many = await start({ bounds: { ...roomy, totalBytes: 128 * 1024 } });
  await expect(many.agree(ask)).rejects.toMatchObject(refused);
});
