import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../../contract/limits.ts";
import { createLog } from "../ops/log.ts";
import { VoiceError, type Pcm } from "../voices/voice.ts";
import { AudioLibrary, readableName } from "./library.ts";

const account = "ann@example.org";
let stateDir: string;
let library: AudioLibrary;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "visavis-audios-"));
  library = new AudioLibrary({ stateDir, bounds: { replies: 3, uploads: 4, uploadBytes: 40_000 } });
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const pcm = (length = 800, value = 5): Pcm => ({
  samples: new Int16Array(length).fill(value),
  sampleRate: 8_000,
});
async function* pieces(...all: Pcm[]): AsyncGenerator<Pcm> {
  for (const one of all) yield await Promise.resolve(one);
}
const names = async (of = account) => (await library.list(of)).map(({ name }) => name);
/** Files of one moment have no order. */
const age = async (name: string, seconds: number) => {
  const at = Date.now() / 1000 - seconds;
  for (const folder of await readdir(join(stateDir, "audios")))
    for (const place of [name, join("uploads", name)])
      await utimes(join(stateDir, "audios", folder, place), at, at).catch(() => undefined);
};
const everything = async () =>
  (await readdir(join(stateDir, "audios"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test.each([
  ["My speech (final).MP3", "My-speech-final"],
  ["../../etc/passwd", "passwd"],
  ["C:\\sounds\\voilà.wav", "voilà"],
  ["おはよう.m4a", "おはよう"],
  [".hidden", "sound"],
  ["", "sound"],
  ["-.wav", "sound"],
  ["a/b/..", "sound"],
  ["x".repeat(300), "x".repeat(50)],
  ["\u0000\n.ogg", "sound"],
])("%s is called %s", (filename, name) => {
  expect(readableName(filename)).toBe(name);
});

test("an upload keeps its name, one of the same name gets one of its own, and both outlive the box", async () => {
  expect(await library.upload(account, "hello.ogg", pcm())).toBe("hello.wav");
  expect(await library.upload(account, "hello.mp3", pcm(1_600))).toBe("hello-2.wav");
  library = new AudioLibrary({ stateDir });
  await age("hello.wav", 60);
  const audios = await library.list(account);
  expect(audios).toEqual([
    { name: "hello-2.wav", duration_s: 0.2, bytes: 3_244, created_at: expect.any(Number) },
    { name: "hello.wav", duration_s: 0.1, bytes: 1_644, created_at: expect.any(Number) },
  ]);
});

test("replies and uploads are listed together, and nobody else's", async () => {
  const reply = await library.save(account, pieces(pcm(400), pcm(400)));
  await age(reply, 60);
  await library.upload(account, "hello.wav", pcm());
  expect(await names()).toEqual(["hello.wav", reply]);
  expect(await names("bea@example.org")).toEqual([]);
  await expect(library.open("bea@example.org", reply)).rejects.toMatchObject({ code: "unknown_audio" });
});

test("a file is read in pieces, each once", async () => {
  const samples = Int16Array.from({ length: 5_001 }, (_, at) => at - 2_500);
  await library.upload(account, "ramp.wav", { samples, sampleRate: 8_000 });
  const sound = await library.open(account, "ramp.wav");
  expect(sound.durationMs).toBeCloseTo(625.125);
  const read: number[] = [];
  for await (const piece of sound.pieces()) {
    expect(piece.samples.length).toBeLessThanOrEqual(1_600);
    read.push(...piece.samples);
  }
  await sound.close();
  expect(read).toEqual([...samples]);
});

test.each(["../ramp.wav", "..", ".hidden.part", "uploads", "", "a/b.wav", "nothing.wav", "\u0000"])(
  "%j is no sound file",
  async (name) => {
    await library.upload(account, "ramp.wav", pcm());
    await expect(library.open(account, name)).rejects.toMatchObject({ code: "unknown_audio" });
  },
);

test("the oldest make room, in number and in size", async () => {
  for (let count = 1; count <= 6; count++) {
    const name = await library.upload(account, `u${count}.wav`, pcm(100));
    await age(name, 100 - count);
  }
  expect(await names()).toEqual(["u6.wav", "u5.wav", "u4.wav", "u3.wav"]);
  await library.upload(account, "large.wav", pcm(19_000));
  expect(await names()).toEqual(["large.wav", "u6.wav", "u5.wav", "u4.wav"]);
  await age("large.wav", 10);
  await library.upload(account, "larger.wav", pcm(30_000));
  expect(await names()).toEqual(["larger.wav"]);
});

test("a reply is kept for a day", async () => {
  const old = await library.save(account, pieces(pcm()));
  const upload = await library.upload(account, "kept.wav", pcm());
  for (const name of [old, upload]) await age(name, 25 * 3600);
  const fresh = await library.save(account, pieces(pcm()));
  expect(await names()).toEqual([fresh, upload]);
});

test("what cannot be a reply leaves nothing", async () => {
  const long = pcm(8_000 * (limits.audioSeconds + 1));
  for (const bad of [pieces(), pieces(pcm(0)), pieces(long), pieces(pcm(), { ...pcm(), sampleRate: 16_000 })])
    await expect(library.save(account, bad)).rejects.toThrow(VoiceError);
  expect(await names()).toEqual([]);
});

test("what a crash cut short is swept away, and what is being written is not", async () => {
  await library.upload(account, "whole.wav", pcm());
  const [folder = ""] = await readdir(join(stateDir, "audios"));
  const stray = [".a.part", join(folder, ".b.part"), join(folder, "uploads", ".c.part")];
  for (const name of stray) await writeFile(join(stateDir, "audios", name), "RIFF");
  const work = await library.workFile(Buffer.from("on its way"));
  await library.sweep();
  expect((await everything()).toSorted()).toEqual([work.path.split("/").at(-1), "whole.wav"]);
  await work.done();
  expect(await everything()).toEqual(["whole.wav"]);
});

test("a file that is no sound is neither listed nor opened", async () => {
  await library.upload(account, "whole.wav", pcm());
  const [folder = ""] = await readdir(join(stateDir, "audios"));
  await writeFile(
    join(stateDir, "audios", folder, "uploads", "text.wav"),
    "no sound at all, though it is long enough",
  );
  await mkdir(join(stateDir, "audios", folder, "uploads", "folder.wav"));
  expect(await names()).toEqual(["whole.wav"]);
  for (const name of ["text.wav", "folder.wav"])
    await expect(library.open(account, name)).rejects.toMatchObject({ code: "unknown_audio" });
});

vi.mock("node:fs/promises", { spy: true });

test("a full disk is refused in words and leaves nothing", async () => {
  const fs = await import("node:fs/promises");
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  await library.upload(account, "whole.wav", pcm());
  for (const act of [
    () => library.upload(account, "more.wav", pcm()),
    () => library.save(account, pieces(pcm())),
    () => library.workFile(Buffer.from("x")),
  ]) {
    vi.mocked(fs.writeFile).mockRejectedValueOnce(full);
    await expect(act()).rejects.toMatchObject({
      code: "storage_full",
      message: expect.not.stringContaining("ENOSPC"),
    });
  }
  expect(await everything()).toEqual(["whole.wav"]);
});

test("an upload is removed after a month and a reply after a day, the newest too, whoever asks or nobody", async () => {
  const day = 24 * 3600;
  await library.upload(account, "old.wav", pcm());
  await age("old.wav", 31 * day);
  await library.upload("bea@example.org", "young.wav", pcm());
  await age("young.wav", 29 * day);
  const reply = await library.save("carl@example.org", pieces(pcm()));
  await age(reply, 2 * day);
  expect(await names()).toEqual([]);
  await library.sweep();
  expect(await everything()).toEqual(["young.wav"]);
});

test("while the box runs it sweeps by itself", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    library.start(createLog("silent"));
    await library.upload(account, "old.wav", pcm());
    await age("old.wav", 31 * 24 * 3600);
    vi.advanceTimersByTime(3600 * 1000);
    await vi.waitFor(async () => expect(await everything()).toEqual([]));
    library.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
