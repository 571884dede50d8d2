// Hearing a voice: one sample at a time, the house's sentence or a line of one's own.

import { type VoiceRow, previewText } from "../../contract/voices.ts";
import { limits } from "../../contract/limits.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { rowKey } from "./catalogue-store.ts";
import type { VoicesApi } from "./voices-api.ts";

/** What plays a sound; an `HTMLAudioElement` in a page. */
export interface Speaker {
  src: string;
  play(): Promise<void>;
  pause(): void;
  addEventListener(type: "ended", listener: () => void): void;
}

export interface PlayerState {
  /** Key of the row that is being fetched or heard. */
  row: string | null;
  step: "idle" | "fetching" | "playing";
  problem: { row: string; message: string } | null;
  /** The line to be spoken; empty means the house's own sentence. */
  line: string;
  lineProblem: string | null;
  /** Seconds until another line of one's own may be spoken; 0 when it may be now. */
  waitSeconds: number;
}

export interface PlayerOptions {
  api: Pick<VoicesApi, "sample" | "speak">;
  speaker: Speaker;
}

/** The sentence for a line that may not be spoken; null when it may. */
export function lineProblem(line: string): string | null {
  const checked = previewText(line);
  if (checked.ok || checked.code === "preview_text_empty") return null;
  return `A line may have at most ${limits.previewTextChars} characters.`;
}

export class PlayerStore extends Store<PlayerState> {
  readonly #options: PlayerOptions;
  #abort: AbortController | null = null;
  #url: string | null = null;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(options: PlayerOptions) {
    super({ row: null, step: "idle", problem: null, line: "", lineProblem: null, waitSeconds: 0 });
    this.#options = options;
    options.speaker.addEventListener("ended", this.stop);
  }

  readonly setLine = (line: string): void => this.update({ line, lineProblem: lineProblem(line) });

  /** Plays a voice, or stops it when it is the one that plays. */
  readonly toggle = async (row: VoiceRow): Promise<void> => {
    const key = rowKey(row);
    const again = this.get().row === key;
    this.stop();
    if (!again) await this.#play(row, key);
  };

  readonly stop = (): void => {
    this.#abort?.abort();
    this.#abort = null;
    this.#options.speaker.pause();
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = null;
    this.update({ row: null, step: "idle" });
  };

  readonly dispose = (): void => {
    this.stop();
    clearInterval(this.#clock);
    this.#clock = undefined;
  };

  async #play(row: VoiceRow, key: string): Promise<void> {
    const { api, speaker } = this.#options;
    const { line } = this.get();
    const checked = previewText(line);
    const own = line.trim() !== "";
    const refusal = own ? lineProblem(line) : null;
    if (refusal) return this.update({ lineProblem: refusal });
    if (own && this.get().waitSeconds > 0) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.update({ row: key, step: "fetching", problem: null, lineProblem: null });
    try {
      const blob =
        own && checked.ok
          ? await api.speak({ provider: row.provider, voice: row.id, text: checked.text }, abort.signal)
          : await api.sample(row.preview, abort.signal);
      if (abort.signal.aborted) return;
      this.#url = URL.createObjectURL(blob);
      speaker.src = this.#url;
      await speaker.play();
      if (!abort.signal.aborted) this.update({ step: "playing" });
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.stop();
      this.#refused(key, asVisavisError(thrown));
    }
  }

  #refused(row: string, error: VisavisError): void {
    if (error.code === "preview_rate_limited") {
      this.update({ lineProblem: error.message });
      this.#wait(error.retryAfterSeconds ?? 60);
    } else if (error.code === "preview_text_too_long" || error.code === "preview_text_empty") {
      this.update({ lineProblem: error.message });
    } else {
      this.update({ problem: { row, message: error.message } });
    }
  }

  #wait(seconds: number): void {
    clearInterval(this.#clock);
    this.update({ waitSeconds: Math.ceil(seconds) });
    this.#clock = setInterval(() => {
      const left = this.get().waitSeconds - 1;
      this.update({ waitSeconds: Math.max(0, left) });
      if (left > 0) return;
      clearInterval(this.#clock);
      this.update({ lineProblem: lineProblem(this.get().line) });
    }, 1000);
  }
}
