import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EspeakVoice } from "./espeak.ts";
import { Kakasi } from "./kakasi.ts";

const installed = (program: string) => spawnSync(program, ["--version"]).error === undefined;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-kakasi-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program in its place. */
async function standIn(script: string): Promise<string> {
  const path = join(folder, "kakasi");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}
const dictionary = "exec sed -e 's/日本/にほん/g' -e 's/今日/きょう/g'";

test("kanji come back in kana, and text without them is asked about by nobody", async () => {
  const reader = await Kakasi.open(await standIn(dictionary));
  expect(await reader?.read("今日は\n日本 $(reboot) --help")).toBe("きょうは にほん $(reboot) --help");
  await rm(join(folder, "kakasi"));
  expect(await reader?.read("はい")).toBe("はい");
  // Gone meanwhile: the kanji stay.
  expect(await reader?.read("今日")).toBe("今日");
});

test.each([
  ["does not exist", null],
  ["fails", "exit 3"],
  ["says nothing", "cat > /dev/null"],
  ["has no dictionary", "exec cat"],
  ["pours without end", "yes にほん"],
])("one that %s is none", async (_, script) => {
  expect(await Kakasi.open(script === null ? join(folder, "none") : await standIn(script))).toBeNull();
});

test("a reading ends with its signal and with the reader", async () => {
  const flag = join(folder, "hang");
  const reader = await Kakasi.open(await standIn(`[ -e ${flag} ] && exec sleep 60; ${dictionary}`));
  await writeFile(flag, "");
  const controller = new AbortController();
  const first = reader?.read("今日", controller.signal);
  controller.abort();
  expect(await first).toBe("今日");
  const second = reader?.read("日本");
  reader?.close();
  expect(await second).toBe("日本");
});

// `npm test` installs espeak-ng and kakasi before it runs these; only a bare `vitest` on an unprepared machine skips them.
test.skipIf(!installed("espeak-ng"))(
  "the built-in voice says what kanji mean where they can be read",
  async () => {
    const samples = async (voice: EspeakVoice, text: string) => {
      let count = 0;
      const signal = new AbortController().signal;
      for await (const pcm of voice.synthesize({ text, voice: "ja+f3", tone: "neutral", signal }))
        count += pcm.samples.length;
      return count;
    };
    const reading = await EspeakVoice.open({ kakasi: await standIn(dictionary) });
    const blind = await EspeakVoice.open({ kakasi: join(folder, "none") });
    try {
      expect(await samples(reading, "日本")).toBe(await samples(blind, "にほん"));
      expect(await samples(reading, "今日は日本。")).toBeGreaterThan(await samples(blind, "今日は日本。"));
      expect(await samples(blind, "日本")).toBe(0);
    } finally {
      await Promise.all([reading.close(), blind.close()]);
    }
  },
);

test.skipIf(!installed("kakasi"))("the real one reads words, not signs", async () => {
  const reader = await Kakasi.open();
  expect((await reader?.read("明日の会議は午後三時からです。"))?.replaceAll(" ", "")).toBe(
    "あしたのかいぎはごごさんじからです。",
  );
});
