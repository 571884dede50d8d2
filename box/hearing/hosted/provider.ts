// What the hosted recognisers share as providers: the recognitions that are open, and whether the service takes any.

import type { Language } from "../../../contract/tones.ts";
import type { EngineState } from "../../voices/voice.ts";
import type { Recognition, RecognitionEvent, RecogniserProvider } from "../recogniser.ts";
import { Availability } from "./availability.ts";

export interface RecognitionUse {
  language: Language;
  onEvent(event: RecognitionEvent): void;
  onClosed(): void;
}

export interface HostedRecognition extends Recognition {
  /** Opens the first line. Rejects with RecognitionRefused. */
  start(): Promise<void>;
}

export abstract class HostedProvider implements RecogniserProvider {
  abstract readonly id: RecogniserProvider["id"];
  abstract readonly mode: RecogniserProvider["mode"];
  readonly wants = "everything";
  readonly #availability = new Availability();
  readonly #open = new Set<HostedRecognition>();

  /** A recognition that has yet to start. */
  protected abstract recognition(use: RecognitionUse): HostedRecognition;

  state(): EngineState {
    return this.#availability.state();
  }

  async open(options: Omit<RecognitionUse, "onClosed">): Promise<Recognition> {
    const recognition = this.recognition({ ...options, onClosed: () => this.#open.delete(recognition) });
    this.#open.add(recognition);
    try {
      await this.#availability.watch(recognition.start());
    } catch (error) {
      await recognition.close();
      throw error;
    }
    return recognition;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((recognition) => recognition.close()));
  }
}
