// One session while it is recorded. Its place on disk is made while the first packets come; they wait for it.

import type { MediaPacket } from "../../native/binding/index.js";
import { SessionRecorder } from "./session-recorder.ts";
import type { Agreement, WaitingRecording, WaitingRecordings } from "./waiting.ts";

/** Packets that may come before there is a place for them: some ten seconds of both tracks. */
const mostEarly = 1_000;

export interface LiveRecordingOptions {
  waiting: Pick<WaitingRecordings, "create" | "remove">;
  agreement: Agreement;
  /** Once, when it stops before its session ends. */
  onStopped(error: unknown): void;
}

export class LiveRecording {
  readonly sessionId: string;
  readonly #options: LiveRecordingOptions;
  readonly #begun: Promise<WaitingRecording | null>;
  #early: MediaPacket[] = [];
  #recorder: SessionRecorder | null = null;
  #stopped = false;
  #ending: Promise<WaitingRecording | null> | null = null;

  constructor(options: LiveRecordingOptions) {
    this.#options = options;
    this.sessionId = options.agreement.session_id;
    this.#begun = this.#begin();
  }

  /** Something is being recorded. */
  get recording(): boolean {
    return !this.#stopped && this.#ending === null;
  }

  /** What the caller is sent. */
  packets(packets: readonly MediaPacket[]): void {
    if (this.#recorder) this.#recorder.packets(packets);
    else if (!this.#stopped && this.#early.length < mostEarly) this.#early.push(...packets);
  }

  /** What their microphone hears while it is on. */
  hear(samples: Int16Array): void {
    this.#recorder?.hear(samples);
  }

  /** The microphone is off, or another one. */
  deafened(): void {
    this.#recorder?.deafened();
  }

  /** The session is over. Resolves to what was recorded once it is on disk; null when there is nothing. Idempotent. */
  end(): Promise<WaitingRecording | null> {
    return (this.#ending ??= this.#end());
  }

  async #begin(): Promise<WaitingRecording | null> {
    const { waiting, agreement } = this.#options;
    try {
      const place = await waiting.create(agreement);
      const recorder = new SessionRecorder({ dir: place.dir, onStopped: (error) => this.#stop(error) });
      recorder.packets(this.#early);
      this.#early = [];
      this.#recorder = recorder;
      return place;
    } catch (error) {
      this.#stop(error);
      return null;
    }
  }

  async #end(): Promise<WaitingRecording | null> {
    const place = await this.#begun;
    await this.#recorder?.end();
    return place;
  }

  #stop(error: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#early = [];
    this.#options.onStopped(error);
  }
}
