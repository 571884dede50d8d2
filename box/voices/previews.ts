// How voices sound: samples of a fixed line, kept for a day, and lines of the caller's own, which are not.

import { createHash, randomUUID } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import { voiceEngines, type Settings, type VoiceEngine } from "../../contract/settings.ts";
import { isByoEngine, previewLine, previewText, voiceEngineLabels } from "../../contract/voices.ts";
import { Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import type { AccountVoices, VoiceWish } from "./account-voices.ts";
import { builtinListing } from "./catalogue.ts";
import { CallerLimit } from "./caller-limit.ts";
import { VoiceFailure } from "./failure.ts";
import { wavOf, wholeSpeech } from "./pcm.ts";
import { callLanguageOf, speakable } from "./speakable.ts";
import { VoiceError, type Pcm } from "./voice.ts";

const lineSeconds = 90;
/** A provider may retrain a voice, so a sample is not for ever. */
const sampleLifeMs = 24 * 3600 * 1000;
/** Some two hundred samples. */
const samplesBytes = 32 * 1024 * 1024;

export interface PreviewWish {
  provider?: string | undefined;
  voice?: string | undefined;
}

export interface PreviewCaller {
  own: AccountVoices;
  settings: Settings;
  /** What the live session's picker holds. */
  session: VoiceWish | null;
  avatar: string | null;
  signal: AbortSignal;
}

interface Sample {
  wav: Buffer<ArrayBuffer>;
  untilMs: number;
}

interface Meant {
  provider: VoiceEngine;
  voice: string;
  /** Tells accounts with voices of their own apart; holds no key. */
  on: string;
  language: string;
  speak(text: string, language: string | null, signal: AbortSignal): AsyncIterable<Pcm>;
}

const unknownVoice = () => new Refusal("unknown_voice", "You have no such voice.");

export class Previews {
  readonly #portal: Pick<Portal, "reportUsage">;
  readonly #log: Log;
  readonly #samples = new Map<string, Sample>();
  readonly #making = new Map<string, Promise<Buffer<ArrayBuffer>>>();
  readonly #lines = new CallerLimit({
    most: limits.previewsPerMinute,
    windowMs: 60_000,
    sentence: `At most ${limits.previewsPerMinute} lines of one's own are spoken within a minute.`,
  });
  readonly #made = new CallerLimit({
    most: limits.samplesPerHour,
    windowMs: 3_600_000,
    sentence: `At most ${limits.samplesPerHour} samples of a provider's voices are made within an hour.`,
  });

  constructor({ portal, log }: { portal: Pick<Portal, "reportUsage">; log: Log }) {
    this.#portal = portal;
    this.#log = log;
  }

  /** A WAV of the fixed line. Rejects with Refusal. */
  async sample(caller: PreviewCaller, wish: PreviewWish): Promise<Buffer<ArrayBuffer>> {
    const meant = await this.#meant(caller, wish);
    const name = [meant.provider, meant.on, meant.voice].join("/");
    const known = this.#samples.get(name);
    if (known && known.untilMs > performance.now()) return known.wav;
    // Made once, however many ask, and whoever of them leaves.
    const making = this.#making.get(name);
    if (making) return making;
    const { account } = caller.own;
    // A provider's credit goes into it, or the box's.
    if (isByoEngine(meant.provider)) this.#made.count(account);
    const begun = this.#make(name, meant, account).finally(() => this.#making.delete(name));
    this.#making.set(name, begun);
    return begun;
  }

  /** A WAV of the caller's own line. Rejects with Refusal. */
  async line(
    caller: PreviewCaller,
    { text, ...wish }: PreviewWish & { text: string },
  ): Promise<Buffer<ArrayBuffer>> {
    const line = previewText(text);
    if (!line.ok)
      throw new Refusal(
        line.code,
        line.code === "preview_text_empty"
          ? "There is no text to speak."
          : `The text is longer than ${limits.previewTextChars} characters.`,
      );
    // Nothing that an engine could say is left of it.
    if (!/[\p{L}\p{N}]/u.test(speakable(line.text)))
      throw new Refusal("preview_text_empty", "There is nothing in the text that can be spoken.");
    const { account } = caller.own;
    const meant = await this.#meant(caller, wish);
    this.#lines.count(account);
    const pcm = await this.#speak(meant, { ...line, language: null, signal: caller.signal });
    this.#report(account, meant, pcm);
    return wavOf(pcm);
  }

  #report(account: string, { provider, voice }: Meant, pcm: Pcm): void {
    this.#portal.reportUsage({
      usage_id: randomUUID(),
      account,
      session_id: null,
      kind: "preview",
      seconds: pcm.samples.length / pcm.sampleRate,
      turns: 0,
      at: Math.floor(Date.now() / 1000),
      labels: { provider, voice: voice.slice(0, 200) },
    });
  }

  async #make(name: string, meant: Meant, account: string): Promise<Buffer<ArrayBuffer>> {
    const { text, language } = previewLine(meant.language);
    const signal = new AbortController().signal;
    const pcm = await this.#speak(meant, { text, language, signal });
    if (isByoEngine(meant.provider)) this.#report(account, meant, pcm);
    const wav = wavOf(pcm);
    this.#samples.delete(name);
    this.#samples.set(name, { wav, untilMs: performance.now() + sampleLifeMs });
    let bytes = [...this.#samples.values()].reduce((sum, sample) => sum + sample.wav.length, 0);
    for (const [oldest, sample] of this.#samples) {
      if (bytes <= samplesBytes) break;
      this.#samples.delete(oldest);
      bytes -= sample.wav.length;
    }
    return wav;
  }

  async #speak(
    { provider, speak }: Meant,
    { text, language, signal }: { text: string; language: string | null; signal: AbortSignal },
  ): Promise<Pcm> {
    try {
      return await wholeSpeech(speak(text, language, signal), lineSeconds);
    } catch (error) {
      if (!(error instanceof VoiceError)) throw error;
      const fault = error instanceof VoiceFailure ? error.fault : null;
      this.#log.warn({ provider, fault, ...describeError(error) }, "a voice did not speak its preview");
      if (fault === "voice") throw unknownVoice();
      const label = provider === "local" ? "The box's own voice" : voiceEngineLabels[provider];
      throw new Refusal("voice_failed", `${label} did not speak this line.`, { cause: error });
    }
  }

  /** What is not named is what a session would speak with now. */
  async #meant(caller: PreviewCaller, wish: PreviewWish): Promise<Meant> {
    const { own, settings, session, avatar } = caller;
    const asked = wish.provider?.trim() || undefined;
    const provider = asked ?? session?.voiceProvider ?? own.chosenEngine(settings);
    const id = voiceEngines.find((known) => known === provider);
    if (!id) throw unknownVoice();
    if (isByoEngine(id)) {
      const access = own.access(id, { untroubled: true });
      if (access.case === "usable") return this.#hosted(caller, wish, access.account);
      // Named, it cannot be had; else the box's own engine is what would speak.
      if (asked || wish.voice) throw unknownVoice();
    }
    const engine = own.builtin;
    const { state, detail } = engine.state();
    if (state !== "ready") throw new Refusal("voice_unavailable", detail);
    const { account } = own;
    const voice = wish.voice?.trim() || this.#current(caller, "local") || engine.defaultVoice(avatar);
    if (!voice || !engine.has(voice) || !(engine.mayUse?.(voice, account) ?? true)) throw unknownVoice();
    const { voices } = await builtinListing(engine, { account, refresh: false });
    const listed = voices.find((row) => row.id === voice)?.language ?? "";
    return {
      provider: "local",
      voice,
      on: "",
      language: listed || (engine.languageOf?.(voice) ?? ""),
      speak: (text, _language, signal) => engine.synthesize({ text, voice, tone: "neutral", signal }),
    };
  }

  async #hosted(
    caller: PreviewCaller,
    wish: PreviewWish,
    { hosted, key }: Extract<ReturnType<AccountVoices["access"]>, { case: "usable" }>["account"],
  ): Promise<Meant> {
    const { own } = caller;
    const { state, voices } = await own.listing(hosted.id, false);
    const voice = wish.voice?.trim() || this.#current(caller, hosted.id);
    const listed = voices.find(({ id }) => id === voice);
    // Where the list cannot be had, how the provider's ids look has to do.
    if (!voice || (!listed && (state === "ready" || !hosted.looksLike(voice)))) throw unknownVoice();
    return {
      provider: hosted.id,
      voice,
      on: createHash("sha256").update(key).digest("hex"),
      language: listed?.language ?? "",
      speak: (text, language, signal) =>
        hosted.speak({
          key,
          text,
          voice,
          tone: "neutral",
          language: callLanguageOf(language ?? listed?.language ?? ""),
          signal,
        }),
    };
  }

  /** The voice that a session would speak with now, if it is of this engine. */
  #current({ own, settings, session, avatar }: PreviewCaller, provider: VoiceEngine): string | null {
    try {
      const wish = session?.voiceProvider === provider ? {} : { voiceProvider: provider };
      const chosen = own.choose(wish, session, settings, avatar);
      return chosen.engine.id === provider ? chosen.voice : null;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }
}
