import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { MediaPacket } from "../../native/binding/index.js";
import { DiskFile, DiskTooSlow, type DiskFileOptions } from "./disk-file.ts";
import { SessionRecorder } from "./session-recorder.ts";

let dir: string;
let failures: unknown[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "visavis-disk-"));
  failures = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

type Disk = Awaited<ReturnType<NonNullable<DiskFileOptions["openFile"]>>>;

/** A disk that takes what `take` says of each write. */
function diskOf(take: (bytes: Uint8Array) => Promise<number>): { disk: Disk; closed: () => boolean } {
  let closed = false;
  const disk = {
    write: async (bytes: Uint8Array) => ({ bytesWritten: await take(bytes), buffer: bytes }),
    datasync: () => Promise.resolve(),
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
  // Of all the ways to call write only one is used.
  return { disk: disk as unknown as Disk, closed: () => closed };
}

const file = (options: Partial<DiskFileOptions> = {}) =>
  new DiskFile({ path: join(dir, "file"), onFailed: (error) => failures.push(error), ...options });

test("pieces land where they belong, whatever their order; between them are holes", async () => {
  const written = file();
  written.write(Buffer.from("abc"));
  written.write(Buffer.from("def"));
  written.write(Buffer.from("xyz"), 10);
  written.write(Buffer.from("GH"), 6);
  written.write(Buffer.from("!"));
  expect(written.size).toBe(14);
  await written.end();
  written.write(Buffer.from("too late"));
  await written.end();
  expect(await readFile(join(dir, "file"), "latin1")).toBe("abcdefGH\0\0xyz!");
  expect((await stat(join(dir, "file"))).mode & 0o777).toBe(0o600);
  expect(failures).toEqual([]);
});

test("a disk that takes little at a time gets everything", async () => {
  const taken: number[] = [];
  const { disk } = diskOf((bytes) => {
    taken.push(bytes.length);
    return Promise.resolve(Math.min(2, bytes.length));
  });
  const written = file({ openFile: () => Promise.resolve(disk) });
  written.write(Buffer.from("abcde"));
  await written.end();
  expect(failures).toEqual([]);
  expect(taken.length).toBeGreaterThan(0);
});

test("a disk that does not keep up is given up on, at once for whoever writes", async () => {
  const stuck = Promise.withResolvers<number>();
  const { disk, closed } = diskOf(() => stuck.promise);
  const written = file({ openFile: () => Promise.resolve(disk), mostWaiting: 100 });
  for (let count = 0; count < 20; count++) written.write(Buffer.alloc(10));
  expect(failures).toEqual([expect.any(DiskTooSlow)]);
  stuck.resolve(10);
  await written.end();
  expect([failures.length, closed()]).toEqual([1, true]);
});

test("a disk that is full fails once, keeps what it took, and is closed", async () => {
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  let writes = 0;
  const { disk, closed } = diskOf((bytes) =>
    ++writes > 1 ? Promise.reject(full) : Promise.resolve(bytes.length),
  );
  const written = file({ openFile: () => Promise.resolve(disk) });
  for (let count = 0; count < 5; count++) {
    written.write(Buffer.from("abc"), count * 10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await written.end();
  expect([failures, closed()]).toEqual([[full], true]);
});

test("a recorder on a disk that fails stops once, and goes on taking what it is given", async () => {
  const recorder = new SessionRecorder({
    dir,
    onStopped: (error) => failures.push(error),
    disk: { openFile: () => Promise.reject(new Error("no disk")) },
  });
  // The least that a decoder can begin with: 16x16 pixels, and one slice of nothing.
  const sps = [0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x0a, 0xdd, 0xf0, 0x80];
  const data = Buffer.from([...sps, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80, 0, 0, 1, 0x65, 0x88, 0x84]);
  const video = (at: number): MediaPacket => ({
    kind: "video",
    data,
    timestamp: at * 3_600,
    keyframe: true,
    speech: false,
  });
  const audio = (at: number): MediaPacket => ({
    kind: "audio",
    data: Buffer.from([0x78, 1, 2]),
    timestamp: at * 1_920,
    keyframe: true,
    speech: false,
  });
  for (let count = 0; count < 10; count++) {
    recorder.packets([video(count), audio(count)]);
    recorder.hear(new Int16Array(320));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(recorder.recording).toBe(false);
  await recorder.end();
  expect(failures).toEqual([new Error("no disk")]);
});
