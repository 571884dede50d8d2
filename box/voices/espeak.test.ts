import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { languages, tones, type Language, type Tone } from "../../contract/tones.ts";
import { EspeakVoice } from "./espeak.ts";

const installed = spawnSync("espeak-ng", ["--version"]).status === 0;
const signal = new AbortController().signal;

let voice: EspeakVoice;
afterEach(() => voice.close());

async function speech(text: string, id: string, tone: Tone): Promise<Int16Array[]> {
  const pieces: Int16Array[] = [];
  for await (const pcm of voice.synthesize({ text, voice: id, tone, signal })) {
    expect(pcm.sampleRate).toBe(22_050);
    pieces.push(pcm.samples);
  }
  return pieces;
}

async function samplesOf(text: string, id = "en-us+f3", tone: Tone = "neutral"): Promise<number> {
  return (await speech(text, id, tone)).reduce((count, samples) => count + samples.length, 0);
}

/** The share of samples that are no silence. */
async function loudShare(text: string, id: string): Promise<number> {
  const pieces = await speech(text, id, "neutral");
  const all = pieces.flatMap((samples) => Array.from(samples));
  return all.filter((sample) => Math.abs(sample) > 500).length / Math.max(1, all.length);
}

const greetings: Record<Language, string> = {
  en: "Hello, it is good to see you.",
  es: "Hola, me alegro de verte.",
  fr: "Bonjour, c’est un plaisir de vous voir.",
  de: "Guten Tag, schön, Sie zu sehen.",
  it: "Ciao, che bello vederti.",
  pt: "Olá, que bom ver você.",
  hi: "नमस्ते, आपको देखकर ख़ुशी हुई।",
  ja: "こんにちは、おあいできて うれしいです。",
};

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

  test("the process that waits serves every tone, and a tone is more than a word", async () => {
    voice = await EspeakVoice.open();
    const lengths = new Map<Tone, number>();
    for (const tone of tones) lengths.set(tone, await samplesOf("It is seven.", "en-us+f3", tone));
    for (const tone of tones.toReversed())
      expect(await samplesOf("It is seven.", "en-us+f3", tone)).toBe(lengths.get(tone));
    // Speed sets the length: had the commands been read aloud, the quick tones would be the longest.
    expect(lengths.get("sad")).toBeGreaterThan(lengths.get("neutral") ?? 0);
    expect(lengths.get("excited")).toBeLessThan(lengths.get("neutral") ?? 0);
  });

  test.each(languages)("an avatar keeps its character in %s, and can be heard", async (language) => {
    voice = await EspeakVoice.open();
    for (const [avatar, variant] of [
      ["maya", "f3"],
      ["theo", "m3"],
      [null, "f2"],
    ] as const) {
      const id = voice.defaultVoice(avatar, language);
      expect(id.endsWith(`+${variant}`)).toBe(true);
      expect(voice.has(id)).toBe(true);
      expect(voice.languageOf(id)).toBe(language);
    }
    const id = voice.defaultVoice("maya", language);
    expect(await samplesOf(greetings[language], id)).toBeGreaterThan(22_050 / 2);
    expect(await loudShare(greetings[language], id)).toBeGreaterThan(0.3);
  });

  test("a voice that speaks the language stays, and any other turns to it with its variant", async () => {
    voice = await EspeakVoice.open();
    expect(voice.inLanguage("en-gb+m3", "en")).toBe("en-gb+m3");
    expect(voice.inLanguage("en-gb+m3", "pt")).toBe("pt-br+m3");
    expect(voice.inLanguage("de", "ja")).toBe("ja");
    expect(voice.languageOf("cmn")).toBeNull();
  });

  test("text in a script that the voice cannot read is spoken by one that can", async () => {
    voice = await EspeakVoice.open();
    for (const language of ["hi", "ja"] as const) {
      const own = await samplesOf(greetings[language], voice.defaultVoice("maya", language));
      expect(await samplesOf(greetings[language], "en-us+f3")).toBe(own);
    }
    // Spelled out as "Chinese letter" twice, this would be far longer.
    expect(await samplesOf("Tokyo 東京", "en-us+f3")).toBe(await samplesOf("Tokyo", "en-us+f3"));
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
