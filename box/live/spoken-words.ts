// Words spoken as they are given: no model, no history, no moderation.

import { randomUUID } from "node:crypto";
import type { Tone } from "../../contract/tones.ts";
import { clausesAsWritten, type Clause } from "../chat/speech.ts";
import { Refusal } from "../failure.ts";
import type { Log } from "../ops/log.ts";
import type { ChosenVoice } from "../voices/voices.ts";
import { complain } from "./failure.ts";
import type { Hub } from "./hub.ts";
import type { LiveSession } from "./session.ts";
import { nowSeconds } from "./transcript.ts";
import type { TalkRequest } from "./turn.ts";
import type { Utterance } from "./utterance.ts";

export interface SpokenWordsOptions {
  request: TalkRequest;
  session: LiveSession;
  voice: ChosenVoice;
  acceptedAtMs: number;
  hub: Hub;
  log: Log;
}

export class SpokenWords {
  readonly account: string;
  /** Resolves once it has closed, to why nothing of it was spoken, which its listeners know then. */
  readonly closed: Promise<Refusal | null>;
  readonly #options: SpokenWordsOptions;
  readonly #id = randomUUID();
  readonly #utterance: Utterance;
  readonly #voiced = Promise.withResolvers<null>();
  /** How many clauses were told, and whether the last one was. */
  #told = 0;
  #ended = false;

  /** Begins to speak. Throws a Refusal when too much waits to be said already. */
  constructor(options: SpokenWordsOptions) {
    const { request, session, voice, acceptedAtMs } = options;
    this.#options = options;
    this.account = request.caller.account;
    const { correlationId } = request;
    this.#utterance = session.director.begin({ voice, correlationId, acceptedAtMs });
    if (this.#utterance.over) throw new Refusal("voice_failed", "Too much is waiting to be said already.");
    void this.#transcribe();
    this.closed = this.#run();
  }

  /** Somebody wants silence. */
  get stopped(): boolean {
    return this.#utterance.stopped;
  }

  /** Resolves once the voice has begun, or to why it did not. */
  get begun(): Promise<Refusal | null> {
    return Promise.race([this.#voiced.promise, this.closed]);
  }

  async #run(): Promise<Refusal | null> {
    const { request, log } = this.#options;
    const { content, tone = "neutral" } = request;
    try {
      for (const clause of clausesAsWritten(content, tone)) {
        if (this.stopped) break;
        this.#show(clause);
        await this.#utterance.say(clause);
        this.#voiced.resolve(null);
      }
    } catch {
      // Why is told by what follows.
    }
    let failure: Refusal | null = null;
    try {
      await this.#utterance.finish();
    } catch (error) {
      failure = complain(log, error, "speaking failed");
    }
    return this.#close(failure);
  }

  #show({ text, tone, last }: Clause): void {
    this.#options.hub.publish(this.account, {
      type: "message_stream",
      id: this.#id,
      role: "persona",
      content: text,
      contentIndex: this.#told++,
      endOfSpeech: last,
      tone,
      correlationId: this.#options.request.correlationId,
    });
    this.#ended = last;
  }

  /** The one closing event, as of a turn: what nobody could hear was no speech. */
  #close(failure: Refusal | null): Refusal | null {
    const { request, session, hub } = this.#options;
    const { content, tone = "neutral", correlationId } = request;
    if (failure && this.#utterance.firstPcmAtMs === null) {
      hub.publish(this.account, { type: "error", error: failure.message, fatal: false });
      return failure;
    }
    if (failure) hub.publish(this.account, { type: "warning", message: failure.message });
    // Its last clause was not handed to the voice any more.
    if (!this.#ended) this.#show({ text: "", tone, last: true });
    hub.publish(this.account, {
      type: "message",
      id: this.#id,
      role: "persona",
      content,
      tone,
      avatar: session.avatar.id,
      correlationId,
    });
    return null;
  }

  /** They enter the transcript as far as they were heard; a voice that failed at once was not. */
  async #transcribe(): Promise<void> {
    const { request, session } = this.#options;
    const tone: Tone = request.tone ?? "neutral";
    const at = nowSeconds();
    const { heard } = await this.#utterance.ended;
    if (this.#utterance.firstPcmAtMs !== null) session.transcript.assistant({ heard, tone, at });
  }
}
