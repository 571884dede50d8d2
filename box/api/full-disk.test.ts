// What an upload is told when the disk has no room for it.

import { createWriteStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

vi.mock("node:fs", async (load) => {
  const fs = await load<typeof import("node:fs")>();
  return { ...fs, createWriteStream: vi.fn(fs.createWriteStream) };
});

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(async () => {
  await box.close();
  vi.mocked(createWriteStream).mockReset();
});

/** The next file takes 100 kB, and then fails as this says. */
function fillUp(code: string): void {
  let room = 100_000;
  const disk = new Writable({
    write(chunk: Buffer, _encoding, done) {
      room -= chunk.length;
      done(room < 0 ? Object.assign(new Error(`${code}: write`), { code }) : null);
    },
  });
  vi.mocked(createWriteStream).mockReturnValueOnce(disk as ReturnType<typeof createWriteStream>);
}

function photo(bytes: number): FormData {
  const data = new FormData();
  data.append("file", new Blob([new Uint8Array(bytes)], { type: "image/png" }), "me.png");
  return data;
}

test.each(["ENOSPC", "EDQUOT", "EROFS"])(
  "a disk that fails with %s in the middle of a file is full",
  async (code) => {
    fillUp(code);
    const response = await box.ask("/api/avatar", { body: photo(1_000_000) });
    const error = { code: "storage_full", message: expect.stringMatching(/disk of this box is full/) };
    expect([response.status, await response.json()]).toEqual([503, { error }]);
    expect(await readdir(`${box.services.config.stateDir}/incoming`)).toEqual([]);
    expect((await box.ask("/health")).status).toBe(200);
  },
);
