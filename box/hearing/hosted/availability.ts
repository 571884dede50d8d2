// What a hosted recogniser says about itself: ready, unless its service has just refused the box.

import type { EngineState } from "../../voices/voice.ts";
import { RecognitionRefused } from "./refusal.ts";

/** A key may be mended meanwhile, so a refusal is not held against the service for longer. */
const rememberedMs = 60_000;

export class Availability {
  #refusal: RecognitionRefused | null = null;
  #refusedAtMs = 0;

  /** Follows an attempt to open. */
  async watch<Value>(opening: Promise<Value>): Promise<Value> {
    try {
      const value = await opening;
      this.#refusal = null;
      return value;
    } catch (error) {
      if (error instanceof RecognitionRefused && (error.kind === "key" || error.kind === "credit")) {
        this.#refusal = error;
        this.#refusedAtMs = performance.now();
      }
      throw error;
    }
  }

  state(): EngineState {
    if (this.#refusal && performance.now() - this.#refusedAtMs < rememberedMs)
      return { state: "unavailable", detail: this.#refusal.message };
    return { state: "ready", detail: "" };
  }
}
