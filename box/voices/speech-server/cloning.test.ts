// Voices of one's own on a speech server: whose they are, and what becomes of a clip that is refused.

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeSpeechServer } from "../../testing/fake-speech-server.ts";
import { VoiceError } from "../voice.ts";
import { cloneVoice } from "./cloning.ts";
import { SpeechServerVoice } from "./speech-server.ts";

let fake: FakeSpeechServer;
let engine: SpeechServerVoice;
let folder: string;

const recordPath = () => join(folder, "voice-clones.json");
const never = () => new AbortController().signal;
const clip = (account = "ada") => ({
  account,
  name: "Ada's Voice",
  wav: new Uint8Array([1, 2, 3]),
  signal: never(),
});

async function open(): Promise<void> {
  await engine?.close();
  engine = await SpeechServerVoice.open({
    url: fake.url,
    apiKey: null,
    model: "tts-1",
    clonesPath: recordPath(),
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-clones-"));
  fake = await FakeSpeechServer.start();
  await open();
});
afterEach(async () => {
  await engine.close();
  await fake.close();
  await rm(folder, { recursive: true });
});

const usableBy = (id: string) => ["ada", "bob", null].map((account) => engine.mayUse(id, account));
const namesFor = async () => (await engine.list({ refresh: true })).voices.map(({ id, name }) => [id, name]);

test("a clone that the server lists under an id of its own is its account's alone, also after a restart", async () => {
  fake.listOf = (voices) => ({ voices: voices.map((name) => (/_vv/.test(name) ? "spk-17" : name)) });
  fake.cloned = () => ({ id: "spk-17" });
  expect(await cloneVoice(engine, clip())).toBe("spk-17");
  expect(usableBy("spk-17")).toEqual([true, false, false]);
  await open();
  expect(usableBy("spk-17")).toEqual([true, false, false]);
  expect(await namesFor()).toContainEqual(["spk-17", "Ada's Voice"]);
  // Nobody's usual voice, and nobody else's stand-in.
  fake.voices = fake.voices.filter((name) => name.includes("_vv"));
  await engine.list({ refresh: true });
  expect(engine.defaultVoice(null)).toBeNull();
  expect((await stat(recordPath())).mode & 0o777).toBe(0o600);
});

test("nor is it anybody's who had it listed before its maker was told", async () => {
  fake.listOf = (voices) => ({ voices: voices.map((name) => (/_vv/.test(name) ? "spk-17" : name)) });
  fake.cloned = async () => {
    await engine.list({ refresh: true });
    // The list is not to be had again.
    fake.status = 500;
    return { id: "spk-17" };
  };
  expect(await cloneVoice(engine, clip())).toBe("spk-17");
  expect(engine.has("spk-17")).toBe(true);
  expect(usableBy("spk-17")).toEqual([true, false, false]);
});

test("a server that calls a clone by the id of a voice it had does not take that voice from anybody", async () => {
  fake.cloned = () => ({ id: "af_heart" });
  const id = await cloneVoice(engine, clip());
  expect(id).toMatch(/_vv/);
  expect(usableBy("af_heart")).toEqual([true, true, true]);
  fake.cloned = () => ({ id: "spk-1" });
  fake.listOf = (voices) => ({ voices: [...voices, "spk-1"] });
  await engine.list({ refresh: true });
  expect(await cloneVoice(engine, clip("bob"))).not.toBe("spk-1");
  expect(usableBy("spk-1")).toEqual([true, true, true]);
});

test("on a server without a list of voices a clone can be used all the same", async () => {
  fake.listPath = null;
  await open();
  fake.cloned = () => ({ id: "spk-17" });
  expect(await cloneVoice(engine, clip())).toBe("spk-17");
  await open();
  expect(engine.has("spk-17")).toBe(true);
  expect(usableBy("spk-17")).toEqual([true, false, false]);
  expect(await namesFor()).toEqual([
    ...["Alloy", "Echo", "Fable", "Nova", "Onyx", "Shimmer"].map((name) => [name.toLowerCase(), name]),
    ["spk-17", "Ada's Voice"],
  ]);
});

test("a clone is known at once, also when a look at the server was under way", async () => {
  // That look is answered late, with what there was when it began.
  const held = Promise.withResolvers<void>();
  let looks = 0;
  fake.onList = async () => {
    if (++looks === 1) await held.promise;
  };
  const before = engine.list({ refresh: true });
  await expect.poll(() => looks).toBe(1);
  const list = engine.list.bind(engine);
  engine.list = (options) => {
    const listing = list(options);
    held.resolve();
    return listing;
  };
  const cloning = cloneVoice(engine, clip());
  await before;
  expect(engine.has(await cloning)).toBe(true);
  expect(looks).toBe(2);
});

test("whoever wants a new list gets one that began after they asked, and shares it", async () => {
  let lists = 0;
  fake.listOf = (voices) => {
    lists++;
    return { voices };
  };
  const first = engine.list({ refresh: true });
  const [second, third] = await Promise.all([
    engine.list({ refresh: true }),
    engine.list({ refresh: true }),
    first,
  ]);
  expect(lists).toBe(2);
  expect(second).toBe(third);
});

test("where it cannot be read whose the voices are, none is had", async () => {
  await writeFile(recordPath(), '{"clones":[{"id":"spk-');
  await open();
  expect(engine.state()).toMatchObject({ state: "unavailable", detail: expect.stringContaining("record") });
  expect(await engine.list({ refresh: true })).toMatchObject({ state: "unreachable", voices: [] });
  expect(usableBy("af_heart")).toEqual([false, false, false]);
  await expect(cloneVoice(engine, clip())).rejects.toBeInstanceOf(VoiceError);
  expect(fake.clips).toEqual([]);
  // It stays for whoever mends it.
  expect(await readFile(recordPath(), "utf8")).toContain("spk-");
});

test("a clone that could not be recorded is not made, and what a kill left is cleared", async () => {
  await writeFile(`${recordPath()}.1234.new`, "{");
  await open();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  await writeFile(folder, "in the way");
  await expect(cloneVoice(engine, clip())).rejects.toThrow();
  expect(fake.clips).toEqual([]);
});

test.each([400, 403, 409, 413, 415, 422, 500])(
  "a clip that is refused with %d is sent once",
  async (status) => {
    let sent = 0;
    fake.refuseClip = (json) => {
      sent++;
      json(status, { detail: "The clip is too noisy." });
    };
    await expect(cloneVoice(engine, clip())).rejects.toThrow("could not clone");
    expect(sent).toBe(1);
  },
);

test("the way that worked is the first the next time", async () => {
  fake.cloning = { path: "/v1/voices", name: "voice_name", file: "voice_file" };
  await cloneVoice(engine, clip());
  const before = fake.posts;
  await cloneVoice(engine, clip());
  expect(fake.posts - before).toBe(1);
});

test("all ways together have one deadline", async () => {
  fake.refuseClip = (json) => setTimeout(() => json(422, { detail: "field required" }), 150);
  await expect(cloneVoice(engine, { ...clip(), withinMs: 200 })).rejects.toThrow("took too long");
});

test("a server that failed is not asked again by everybody who reads the catalogue", async () => {
  fake.status = 500;
  await engine.list({ refresh: true });
  const before = fake.gets;
  for (let read = 0; read < 3; read++)
    expect((await engine.list({ refresh: false })).state).toBe("unreachable");
  expect(fake.gets).toBe(before);
  fake.status = null;
  expect((await engine.list({ refresh: true })).state).toBe("ready");
});
