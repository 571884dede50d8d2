import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { EspeakVoice } from "./espeak.ts";

const installed = spawnSync("espeak-ng", ["--version"]).status === 0;
const signal = new AbortController().signal;

let voice: EspeakVoice;
afterEach(() => voice.close());

async function samplesOf(
  text: string,
  id = "en-us+f3",
  tone: "neutral" | "sad" = "neutral",
): Promise<number> {
  let samples = 0;
  for await (const pcm of voice.synthesize({ text, voice: id, tone, signal })) {
    expect(pcm.sampleRate).toBe(22_050);
    samples += pcm.samples.length;
  }
  return samples;
}

// `npm test` installs espeak-ng before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!installed)("with espeak-ng installed", () => {
  test("it speaks, the same whether the process was waiting or not", async () => {
    voice = await EspeakVoice.open();
    expect(voice.state()).toEqual({ state: "ready", detail: "" });
    const first = await samplesOf("Hello there, how are you?");
    expect(first).toBeGreaterThan(22_050 / 2);
    expect(await samplesOf("Hello there, how are you?")).toBe(first);
    expect(await samplesOf("Hello there, how are you?", "en-us+f3", "sad")).toBeGreaterThan(first);
  });

  test("voices are languages with variants", async () => {
    voice = await EspeakVoice.open();
    for (const id of [
      "en-us",
      "en-us+f3",
      "de+m3",
      "ja",
      "hi",
      voice.defaultVoice("maya"),
      voice.defaultVoice(null),
    ])
      expect(voice.has(id)).toBe(true);
    for (const id of ["", "+f3", "en-us+nobody", "en-us+f3+m1", "--help", "en us", "/etc/passwd"])
      expect(voice.has(id)).toBe(false);
    await expect(samplesOf("Hi", "--help")).rejects.toThrow("no such voice");
  });

  test("text is text, whatever it looks like", async () => {
    voice = await EspeakVoice.open();
    for (const text of ["--version", "$(reboot)", "<speak>", "'; rm -rf /", "-v de"])
      expect(await samplesOf(text)).toBeGreaterThan(1_000);
    expect(await samplesOf("🙂")).toBe(0);
  });

  test("an abort ends the process in the middle", async () => {
    voice = await EspeakVoice.open();
    const controller = new AbortController();
    let pieces = 0;
    const text = "This is a rather long sentence. ".repeat(100);
    for await (const _ of voice.synthesize({
      text,
      voice: "en-us",
      tone: "neutral",
      signal: controller.signal,
    })) {
      pieces++;
      controller.abort();
    }
    expect(pieces).toBe(1);
  });

  test("once closed it speaks no more", async () => {
    voice = await EspeakVoice.open();
    await samplesOf("Hi.");
    await voice.close();
    await expect(samplesOf("Hi.")).rejects.toThrow();
  });
});

test("without the program it says so", async () => {
  voice = await EspeakVoice.open({ program: "/nowhere/espeak-ng" });
  expect(voice.state()).toEqual({ state: "unavailable", detail: "espeak-ng is not installed." });
  await expect(samplesOf("Hi.")).rejects.toThrow("not installed");
});

test("a program that is no speaker is not ready either", async () => {
  voice = await EspeakVoice.open({ program: "false" });
  expect(voice.state().state).toBe("unavailable");
});
