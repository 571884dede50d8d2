// The built-in recogniser: PocketSphinx in the native addon. English only, no key and no network.

import type { Language } from "../../contract/tones.ts";
import type { Recogniser, RecogniserOptions } from "../../native/binding/index.js";
import { describeError, type Log } from "../ops/log.ts";
import type { EngineState } from "../voices/voice.ts";
import {
  RecognitionError,
  type Recognition,
  type RecognitionEvent,
  type RecogniserProvider,
} from "./recogniser.ts";

export interface PocketSphinxOptions {
  log: Log;
  /** Folder of the model; default: where its package puts it. */
  modelDir?: string | undefined;
  /** Makes a decoder that loads by itself; default: the addon's. */
  load?: (options: RecogniserOptions) => Promise<NativeRecogniser>;
}

export type NativeRecogniser = Pick<
  Recogniser,
  "ready" | "push" | "settle" | "drop" | "beginSpeaker" | "close"
>;

/** A decoder and whoever listens through it just now. */
interface Decoder {
  native: NativeRecogniser;
  listener: { hear(text: string): void; fail(message: string): void } | null;
  /** It has failed, and is not used again. */
  broken: boolean;
}

const notLoaded = "The built-in speech recogniser could not be loaded on this box.";
const failed = "The built-in speech recogniser failed.";

/** Not imported at the top: a box whose addon is not built still answers. */
async function loadNative(options: RecogniserOptions): Promise<NativeRecogniser> {
  const { Recogniser: Native } = await import("../../native/binding/index.js");
  return new Native(options);
}

export class PocketSphinx implements RecogniserProvider {
  readonly id = "pocketsphinx";
  readonly mode = null;
  readonly wants = "speech";
  readonly #options: PocketSphinxOptions;
  readonly #decoders = new Set<Decoder>();
  /** Loaded and used by nobody: a listener does not wait for the next one to load. */
  #idle: Promise<Decoder> | null;
  #state: EngineState = { state: "starting", detail: "The built-in speech recogniser is being loaded." };
  #closing: Promise<void> | null = null;

  /** Loads in the background. */
  constructor(options: PocketSphinxOptions) {
    this.#options = options;
    this.#idle = this.#load();
    this.#idle.then(
      () => (this.#state = { state: "ready", detail: "" }),
      (error: unknown) => {
        if (this.#closing) return;
        options.log.error(describeError(error), "the built-in recogniser does not load");
        this.#state = { state: "unavailable", detail: notLoaded };
      },
    );
  }

  state(): EngineState {
    return this.#state;
  }

  async open({
    language,
    onEvent,
  }: {
    language: Language;
    onEvent(event: RecognitionEvent): void;
  }): Promise<Recognition> {
    const loading = this.#closing ? null : (this.#idle ?? this.#load());
    if (!loading) throw new RecognitionError("The box is closing.");
    if (this.#idle === loading) this.#idle = null;
    const decoder = await loading
      .then((loaded) => (loaded.broken ? this.#load() : loaded))
      .catch((error: unknown) => {
        throw new RecognitionError(notLoaded, { cause: error });
      });
    if (this.#closing) throw new RecognitionError("The box is closing.");
    const { log } = this.#options;
    return new Listening({
      decoder,
      language,
      log,
      onEvent,
      giveBack: () => this.#take(decoder),
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #load(): Promise<Decoder> {
    const { load = loadNative, modelDir } = this.#options;
    let decoder: Decoder | null = null;
    const native = await load({
      ...(modelDir === undefined ? {} : { modelDir }),
      onHypothesis: (text) => decoder?.listener?.hear(text),
      onFailed: (message) => {
        if (!decoder) return;
        decoder.broken = true;
        if (decoder.listener) decoder.listener.fail(message);
        else void this.#free(decoder);
      },
    });
    decoder = { native, listener: null, broken: false };
    this.#decoders.add(decoder);
    if (this.#closing) await this.#free(decoder);
    try {
      await native.ready;
    } catch (error) {
      await this.#free(decoder);
      throw error;
    }
    return decoder;
  }

  /** A decoder that nobody listens through any more. */
  async #take(decoder: Decoder): Promise<void> {
    if (decoder.broken || this.#idle || this.#closing) await this.#free(decoder);
    else this.#idle = Promise.resolve(decoder);
  }

  async #free(decoder: Decoder): Promise<void> {
    this.#decoders.delete(decoder);
    await decoder.native.close();
  }

  async #close(): Promise<void> {
    this.#state = { state: "unavailable", detail: "The box is closing." };
    const idle = this.#idle;
    await Promise.all([...this.#decoders].map((decoder) => this.#free(decoder)));
    // One that was only beginning to load has freed itself.
    await idle?.catch(() => {});
  }
}

class Listening implements Recognition {
  readonly #decoder: Decoder;
  readonly #log: Log;
  readonly #onEvent: (event: RecognitionEvent) => void;
  readonly #giveBack: () => Promise<void>;
  #over: Promise<void> | null = null;
  #failed = false;
  #behind = false;
  #foreign = false;

  constructor({
    decoder,
    language,
    log,
    onEvent,
    giveBack,
  }: {
    decoder: Decoder;
    language: Language;
    log: Log;
    onEvent(event: RecognitionEvent): void;
    giveBack(): Promise<void>;
  }) {
    this.#decoder = decoder;
    this.#log = log;
    this.#onEvent = onEvent;
    this.#giveBack = giveBack;
    decoder.listener = {
      hear: (text) => this.#onEvent({ case: "partial", text }),
      fail: (message) => this.#fail(new Error(message)),
    };
    this.setLanguage(language);
  }

  push(samples: Int16Array): void {
    if (this.#over || this.#failed || this.#decoder.native.push(samples) || this.#behind) return;
    this.#behind = true;
    this.#log.warn("the built-in recogniser has fallen behind, or failed: words are lost");
  }

  async settle(): Promise<string> {
    if (this.#over || this.#failed) throw new RecognitionError(failed);
    try {
      return await this.#decoder.native.settle();
    } catch (error) {
      this.#fail(error);
      throw new RecognitionError(failed, { cause: error });
    }
  }

  drop(): void {
    if (!this.#over && !this.#failed) this.#decoder.native.drop();
  }

  setLanguage(language: Language): void {
    if (language === "en" || this.#foreign) return;
    this.#foreign = true;
    this.#log.warn({ language }, "the built-in recogniser hears English only, and goes on in English");
  }

  close(): Promise<void> {
    return (this.#over ??= this.#close());
  }

  #close(): Promise<void> {
    this.#decoder.listener = null;
    // The next listener may be another person.
    if (!this.#failed) this.#decoder.native.beginSpeaker();
    return this.#giveBack();
  }

  #fail(error: unknown): void {
    if (this.#failed || this.#over) return;
    this.#failed = true;
    this.#decoder.broken = true;
    this.#decoder.listener = null;
    this.#log.error(describeError(error), "the built-in recogniser failed");
    this.#onEvent({ case: "failed", message: failed });
  }
}
