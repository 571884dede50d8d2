import type { ConversationMode } from "../../contract/microphone-socket.ts";
import type { Language } from "../../contract/tones.ts";
import type { Ears, Listener, ListenerEvent } from "../hearing/listener.ts";
import type { Playback } from "../live/playback.ts";
import type { EngineState } from "../voices/voice.ts";

/** A listener that hears what a test says it hears, and remembers what it was given. */
export class FakeListener implements Listener {
  language: Language;
  muted = false;
  closed = false;
  /** Samples pushed so far. */
  readonly samples: number[] = [];
  readonly playback: Playback | null;
  /** What a push throws from now on. */
  broken: Error | null = null;
  readonly #onEvent: (event: ListenerEvent) => void;

  constructor({ language, playback, onEvent }: Parameters<Ears["listen"]>[0]) {
    this.language = language;
    this.playback = playback;
    this.#onEvent = onEvent;
  }

  /** As the real one: nothing after the close. */
  tell(event: ListenerEvent): void {
    if (!this.closed) this.#onEvent(event);
  }

  /** Somebody says this, and is done. */
  turn(text: string, speechEndedAtMs = performance.now()): void {
    this.tell({ case: "speech_started", atMs: speechEndedAtMs });
    this.tell({ case: "partial", text });
    this.tell({ case: "turn", text, speechEndedAtMs });
  }

  push(samples: Int16Array): void {
    if (this.broken) throw this.broken;
    if (!this.closed) for (const sample of samples) this.samples.push(sample);
  }

  setMuted(muted: boolean): void {
    this.muted = muted;
  }

  setLanguage(language: Language): void {
    this.language = language;
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

export class FakeEars implements Ears {
  mode: ConversationMode | null = null;
  available = true;
  /** Why nothing can be listened to from now on. */
  refusal: Error | null = null;
  /** Listening waits for this, as for a recogniser that loads. */
  loaded: Promise<void> = Promise.resolve();
  readonly listeners: FakeListener[] = [];

  state(): EngineState {
    return this.available
      ? { state: "ready", detail: "" }
      : { state: "unavailable", detail: "No speech recognition is configured." };
  }

  async listen(options: Parameters<Ears["listen"]>[0]): Promise<FakeListener> {
    await this.loaded;
    if (this.refusal) throw this.refusal;
    const listener = new FakeListener(options);
    this.listeners.push(listener);
    return listener;
  }

  get listener(): FakeListener {
    const listener = this.listeners.at(-1);
    if (!listener) throw new Error("Nobody listens.");
    return listener;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
