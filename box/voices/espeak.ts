// The built-in voice: espeak-ng, one child process a clause.

import { execFile, spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import type { Language, Tone } from "../../contract/tones.ts";
import { languageOfVoice, voiceInLanguage } from "./builtin-voices.ts";
import { Kakasi } from "./kakasi.ts";
import { languageOfScript, speakable } from "./speakable.ts";
import { VoiceError, type EngineState, type Pcm, type SpeechRequest, type VoiceProvider } from "./voice.ts";
import { WavReader } from "./wav.ts";

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Longer text is a defect of the caller: clauses are cut far below this. */
const longestText = 4_000;
/** A clause takes milliseconds; a process that says nothing for this long hangs. */
const silenceMs = 5_000;
/** A process waiting for its text is replaced after this long unused. */
const spareLifeMs = 600_000;
/** One a voice: that of the call, and those that a change of language or a picker brought. */
const sparesKept = 3;

/** At a speed of 100 %. */
export const wordsPerMinute = 165;
const middlePitch = 50;

/** Delivery: speed in percent, and pitch on espeak-ng's scale of 0 to 99, relative to the middle. */
const delivery: Record<Tone, { speed: number; pitch: number }> = {
  neutral: { speed: 100, pitch: 0 },
  warm: { speed: 96, pitch: -2 },
  happy: { speed: 104, pitch: 8 },
  excited: { speed: 112, pitch: 14 },
  curious: { speed: 100, pitch: 6 },
  serious: { speed: 94, pitch: -8 },
  sad: { speed: 86, pitch: -12 },
  concerned: { speed: 92, pitch: -5 },
  surprised: { speed: 106, pitch: 16 },
};

/**
 * Embedded commands of espeak-ng, so that one waiting process serves every delivery. Words cannot hold any: control
 * characters are no words.
 */
function deliveryOf(tone: Tone): string {
  const { speed, pitch } = delivery[tone];
  return `\u0001${Math.round((wordsPerMinute * speed) / 100)}S\u0001${middlePitch + pitch}P`;
}

/** Stock faces have voices that suit them; any other speaks in the middle of the road. */
const voiceOfAvatar: Record<string, string> = { maya: "en-us+f3", theo: "en-us+m3" };
const plainVoice = "en-us+f2";

export interface EspeakOptions {
  /** Program name or path. */
  program?: string;
  /** The program that reads kanji; without it they are left out. */
  kakasi?: string;
}

/** The programs and voices that are installed. */
interface Installed {
  languages: Set<string>;
  variants: Set<string>;
}

const run = promisify(execFile);

async function readInstalled(program: string): Promise<Installed> {
  const column = async (list: string, index: number) => {
    const { stdout } = await run(program, [list], { timeout: silenceMs, maxBuffer: 1 << 20 });
    return stdout
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[index])
      .filter((cell) => cell !== undefined);
  };
  const [languages, files] = await Promise.all([column("--voices", 1), column("--voices=variant", 4)]);
  const variants = files.filter((file) => file.startsWith("!v/")).map((file) => file.slice(3));
  return { languages: new Set(languages), variants: new Set(variants) };
}

export class EspeakVoice implements VoiceProvider {
  readonly id = "local";
  readonly label = "Built-in voice";
  readonly #program: string;
  readonly #children = new Set<Child>();
  #installed: Installed | null = null;
  #kakasi: Kakasi | null = null;
  #state: EngineState = { state: "starting", detail: "The voice engine is starting." };
  /** Processes that have loaded their voice and wait for their text, by their voice, used longest ago first. */
  readonly #spares = new Map<string, { child: Child; timer: NodeJS.Timeout }>();
  #closed = false;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Never rejects: without espeak-ng the engine says so in its state. */
  static async open({ program = "espeak-ng", kakasi }: EspeakOptions = {}): Promise<EspeakVoice> {
    const engine = new EspeakVoice(program);
    try {
      [engine.#installed, engine.#kakasi] = await Promise.all([readInstalled(program), Kakasi.open(kakasi)]);
      engine.#state = { state: "ready", detail: "" };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      const detail = missing ? "espeak-ng is not installed." : "espeak-ng does not start.";
      engine.#state = { state: "unavailable", detail };
    }
    return engine;
  }

  state(): EngineState {
    return this.#state;
  }

  /** Ids are a language or voice of espeak-ng, with `+` and a variant where wanted: `en-us+f3`. */
  has(voice: string): boolean {
    const [language = "", variant, ...rest] = voice.split("+");
    if (rest.length > 0 || !this.#installed?.languages.has(language)) return false;
    return variant === undefined || this.#installed.variants.has(variant);
  }

  defaultVoice(avatar: string | null, language: Language = "en"): string {
    return this.inLanguage(voiceOfAvatar[avatar ?? ""] ?? plainVoice, language);
  }

  languageOf(voice: string): Language | null {
    return languageOfVoice(voice);
  }

  inLanguage(voice: string, language: Language): string {
    const turned = voiceInLanguage(voice, language);
    return this.has(turned) ? turned : voice;
  }

  /** Loads a voice ahead of its first clause. */
  warm(voice: string): void {
    if (this.#state.state === "ready" && this.has(voice)) this.#keepSpare(voice);
  }

  async *synthesize({
    text,
    voice: wanted,
    tone,
    signal,
  }: SpeechRequest): AsyncGenerator<Pcm, void, undefined> {
    if (this.#closed || this.#state.state !== "ready")
      throw new VoiceError(this.#state.detail || "The voice engine is closed.");
    if (!this.has(wanted)) throw new VoiceError("The built-in voice engine has no such voice.");
    const script = languageOfScript(text);
    const voice = script ? this.inLanguage(wanted, script) : wanted;
    const language = languageOfVoice(voice);
    const words = (await this.#words(text, language, signal)).slice(0, longestText);
    if (words === "" || signal.aborted || this.#closed) return;

    const child = this.#takeSpare(voice) ?? this.#start(voice);
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    let failure: Error | null = null;
    child.once("error", (error) => (failure ??= error));
    const stop = () => child.kill("SIGKILL");
    let hung = false;
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        hung = true;
        stop();
      }, silenceMs);
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      watch();
      child.stdin.end(`${deliveryOf(tone)}${words}\n`);
      const reader = new WavReader();
      for await (const piece of child.stdout) {
        // What the pipe still holds is not wanted any more.
        if (signal.aborted) return;
        watch();
        const pcm = reader.push(piece as Buffer);
        if (!pcm) continue;
        yield pcm;
        // The process of the next clause loads while this one is heard. Starting it takes milliseconds.
        this.#keepSpare(voice);
      }
      const code = await ended;
      if (signal.aborted) return;
      if (hung) throw new VoiceError("The voice engine took too long.");
      if (code !== 0 || failure) throw new VoiceError("The voice engine failed.", { cause: failure });
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof VoiceError
        ? error
        : new VoiceError("The voice engine failed.", { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      if (child.exitCode === null) stop();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#kakasi?.close();
    for (const { timer } of this.#spares.values()) clearTimeout(timer);
    const children = [...this.#children];
    const gone = children.map((child) => new Promise((resolve) => child.once("close", resolve)));
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(gone);
  }

  async #words(text: string, language: Language | null, signal: AbortSignal): Promise<string> {
    const read = language === "ja" ? await this.#kakasi?.read(speakable(text), signal) : undefined;
    return speakable(read ?? text, language);
  }

  #start(voice: string): Child {
    const args = [
      "--stdin",
      "--stdout",
      // UTF-8 in, no pause at the end: pauses are the director's.
      "-b",
      "1",
      "-z",
      "-v",
      voice,
      "-s",
      String(wordsPerMinute),
      "-p",
      String(middlePitch),
    ];
    const child = spawn(this.#program, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#children.add(child);
    child.once("close", () => this.#children.delete(child));
    // A process that could not start never closes its pipes by itself.
    child.once("error", () => child.stdout.destroy());
    // Writing to one that died early is reported through its exit.
    child.stdin.on("error", () => undefined);
    return child;
  }

  #takeSpare(voice: string): Child | null {
    const spare = this.#spares.get(voice);
    if (!spare) return null;
    clearTimeout(spare.timer);
    this.#spares.delete(voice);
    return spare.child.exitCode === null ? spare.child : null;
  }

  #keepSpare(voice: string): void {
    if (this.#closed || this.#spares.has(voice)) return;
    const child = this.#start(voice);
    child.once("close", () => this.#dropSpare(voice, child));
    const timer = setTimeout(() => child.kill("SIGKILL"), spareLifeMs);
    timer.unref();
    this.#spares.set(voice, { child, timer });
    const [oldest] = this.#spares;
    if (this.#spares.size > sparesKept) oldest?.[1].child.kill("SIGKILL");
  }

  #dropSpare(voice: string, child: Child): void {
    const spare = this.#spares.get(voice);
    if (spare?.child !== child) return;
    clearTimeout(spare.timer);
    this.#spares.delete(voice);
  }
}
