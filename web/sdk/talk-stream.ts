// Speech written piece by piece, as a language model of the caller's own produces it.

import type { ClientMessage } from "../../contract/control-socket.ts";
import type { Tone } from "../../contract/tones.ts";
import { clientError } from "./errors.ts";

export interface TalkStreamOptions {
  tone?: Tone;
  voice?: string;
  correlationId?: string;
}

export interface TalkStreamDependencies {
  options: TalkStreamOptions;
  correlationId: string;
  send(message: ClientMessage): void;
  interrupt(): void;
}

export class TalkStream {
  readonly correlationId: string;
  readonly #dependencies: TalkStreamDependencies;
  #started = false;
  #ended = false;

  constructor(dependencies: TalkStreamDependencies) {
    this.#dependencies = dependencies;
    this.correlationId = dependencies.correlationId;
  }

  /** Whether more may be written. */
  get active(): boolean {
    return !this.#ended;
  }

  /** Adds a piece; `last` ends the utterance with it. Throws `talk_stream_ended` afterwards. */
  write(text: string, last = false): void {
    if (this.#ended) throw clientError("talk_stream_ended", "This talk stream has ended; create another.");
    const { options, send } = this.#dependencies;
    send({
      type: "talkstream",
      content: text,
      startOfSpeech: !this.#started,
      endOfSpeech: last,
      correlationId: this.correlationId,
      ...(options.voice === undefined ? {} : { voice: options.voice }),
      ...(options.tone === undefined ? {} : { tone: options.tone }),
    });
    this.#started = true;
    this.#ended = last;
  }

  /** Ends the utterance. Harmless when it has ended, or when nothing was written. */
  end(): void {
    if (this.#ended) return;
    if (this.#started) this.write("", true);
    this.#ended = true;
  }

  /** Stops writing, and the avatar with it. */
  interrupt(): void {
    this.end();
    this.#dependencies.interrupt();
  }
}
