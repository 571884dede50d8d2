// Tells the portal which voices the built-in engine has, and brings the samples it lacks.

import { setTimeout as sleep } from "node:timers/promises";
import { builtinVoicesAnswerSchema } from "../../contract/internal/voices.ts";
import { previewLine } from "../../contract/voices.ts";
import { describeError, type Log } from "../ops/log.ts";
import { builtinVoices, type BuiltinVoice } from "../voices/builtin-voices.ts";
import { builtinListing } from "../voices/catalogue.ts";
import { VoiceError, type VoiceProvider } from "../voices/voice.ts";
import { wavFile } from "../voices/wav.ts";

const answerWithinMs = 15_000;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** What the portal takes at once. */
const mostVoices = 1_000;

export interface VoiceReportOptions {
  portal: { url: string; secret: string };
  engine: VoiceProvider;
  log: Log;
  /** The first wait after a failure; it doubles up to a minute. */
  retryMs?: number;
}

/** The portal could not take a request just now. */
class NotTaken extends Error {
  override readonly name = "NotTaken";
}

export class VoiceReport {
  readonly #options: VoiceReportOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: VoiceReportOptions) {
    this.#options = options;
  }

  /** Reports in the background, again and again until the portal has everything it asks for. */
  start(): void {
    const { engine } = this.#options;
    // One that lists its voices itself may come to know them only later.
    if (engine.list || builtinVoices(engine).length > 0) this.#running = this.#run();
  }

  /** Gives up on whatever is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { log, retryMs = firstWaitMs } = this.#options;
    for (let waitMs = retryMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      try {
        await this.#report(await this.#voices());
        return;
      } catch (error) {
        if (signal.aborted) return;
        // One line for a lapse, however long it lasts.
        if (waitMs === retryMs) log.warn(describeError(error), "the portal did not take the voices yet");
        await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Those that are everybody's. */
  async #voices(): Promise<BuiltinVoice[]> {
    const { voices } = await builtinListing(this.#options.engine, { account: null, refresh: false });
    if (voices.length === 0) throw new NotTaken("The voices are not known yet.");
    return voices.slice(0, mostVoices);
  }

  async #report(voices: BuiltinVoice[]): Promise<void> {
    const answer = await this.#send("POST", "", "application/json", JSON.stringify({ voices }));
    if (!answer) return;
    const { samples_wanted: wanted } = builtinVoicesAnswerSchema.parse(await answer.json());
    for (const voice of voices.filter(({ id }) => wanted.includes(id))) {
      const wav = await this.#speak(voice);
      if (!wav) continue;
      const sent = await this.#send("PUT", `/${encodeURIComponent(voice.id)}/sample`, "audio/wav", wav);
      await sent?.body?.cancel();
    }
  }

  /** A voice's sample; null when the engine fails on it, which is no reason to withhold the others. */
  async #speak({ id, language }: BuiltinVoice): Promise<Buffer<ArrayBuffer> | null> {
    const { engine, log } = this.#options;
    const { signal } = this.#closing;
    const pieces: Int16Array[] = [];
    let sampleRate = 0;
    try {
      const { text } = previewLine(language);
      for await (const pcm of engine.synthesize({ text, voice: id, tone: "neutral", signal })) {
        pieces.push(pcm.samples);
        sampleRate = pcm.sampleRate;
      }
    } catch (error) {
      if (!(error instanceof VoiceError)) throw error;
      log.warn({ voice: id, ...describeError(error) }, "a voice could not speak its sample");
      return null;
    }
    signal.throwIfAborted();
    if (sampleRate === 0) return null;
    const whole = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return Buffer.from(wavFile(whole, sampleRate));
  }

  /** Null when the portal refuses, as it then would for ever. Throws when another try may succeed. */
  async #send(
    method: "POST" | "PUT",
    path: string,
    type: string,
    body: string | Buffer<ArrayBuffer>,
  ): Promise<Response | null> {
    const { portal, log } = this.#options;
    const route = `/internal/voices/builtin${path}`;
    const response = await fetch(portal.url + route, {
      method,
      headers: { Authorization: `Bearer ${portal.secret}`, "Content-Type": type },
      body,
      redirect: "error",
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(answerWithinMs)]),
    });
    if (response.ok) return response;
    const { status } = response;
    await response.body?.cancel();
    if (status >= 500 || status === 401 || status === 429) throw new NotTaken(`${route} answered ${status}`);
    log.warn({ path: route, status }, "the portal refused a voice");
    return null;
  }
}
