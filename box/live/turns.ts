// Turns: a message answered by the model, or words spoken as given. Typed, posted and spoken messages all come here.

import type { Settings } from "../../contract/settings.ts";
import type { Language } from "../../contract/tones.ts";
import type { Conversations } from "../chat/conversation.ts";
import type { Screen } from "../chat/moderation/screen.ts";
import type { Models } from "../chat/models/models.ts";
import type { Clause } from "../chat/speech.ts";
import type { Toolboxes } from "../chat/tools/toolbox.ts";
import { Refusal } from "../failure.ts";
import type { Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import type { ChosenVoice, Voices, VoiceWish } from "../voices/voices.ts";
import { Delivery } from "./delivery.ts";
import type { Faces } from "./faces.ts";
import { sentences } from "./failure.ts";
import { Floor } from "./floor.ts";
import type { Hub } from "./hub.ts";
import { Preparing } from "./preparing.ts";
import type { LiveSession } from "./session.ts";
import type { Slot } from "./slot.ts";
import { SpeculativeReply } from "./speculation.ts";
import { speakAsWritten } from "./spoken-words.ts";
import type {
  MessageRequest,
  PreparedMessage,
  Speculation,
  TalkRequest,
  TurnObserver,
  TurnResult,
  TurnSource,
} from "./turn.ts";
import { writtenReply } from "./written.ts";

export { turnFailure } from "./failure.ts";

export interface TurnOptions {
  models: Models;
  voices: Voices;
  conversations: Conversations;
  portal: Portal;
  slot: Slot;
  hub: Hub;
  screen: Screen;
  toolboxes: Toolboxes;
  /** Left out: any avatar may be asked for. */
  faces?: Pick<Faces, "resolve"> | undefined;
  log: Log;
  /** Hears what came of every turn, talk and recorded replies apart. */
  onTurn?: ((turn: { source: TurnSource; result: TurnResult }) => void) | undefined;
}

/** What ran when somebody said stop: what began later goes on. */
export interface Sight {
  ticket: number;
  asked: number;
  session: LiveSession | null;
  generation: number;
}

export class Turns {
  readonly #options: TurnOptions;
  readonly #floor = new Floor();
  readonly #preparing = new Preparing();
  readonly #held = new Map<string, SpeculativeReply>();
  #count = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Turns since the box started, talk included. */
  get count(): number {
    return this.#count;
  }

  /** Settles model, voice and words. Rejects with the Refusal that the caller gets before anything happens. */
  prepare(request: MessageRequest): Promise<PreparedMessage> {
    return this.#preparing.run(request.caller.account, () => this.#prepare(request));
  }

  /** The model answers. Never rejects: what went wrong is in the result, and was told to the control sockets. */
  message(prepared: PreparedMessage, observer?: TurnObserver): Promise<TurnResult> {
    return this.#perform(prepared, this.#delivery(prepared), observer);
  }

  /** Begins a reply that may not be wanted. An account has one at a time: another drops the one before. */
  speculate(prepared: PreparedMessage): Speculation {
    const { account } = prepared.request.caller;
    this.#held.get(account)?.drop();
    const held = new SpeculativeReply({
      prepared,
      delivery: this.#delivery(prepared),
      perform: (delivery, observer) => this.#perform(prepared, delivery, observer),
      afresh: (observer) => this.message(prepared, observer),
      isOutdated: () => this.#floor.busy(account),
      onSettled: () => {
        if (this.#held.get(account) === held) this.#held.delete(account);
      },
    });
    this.#held.set(account, held);
    return held;
  }

  /** The clauses of a reply that is not spoken live. Rejects with what failed; `signal` ends it early. */
  async *written(prepared: PreparedMessage, signal: AbortSignal): AsyncGenerator<Clause, void, undefined> {
    const { conversations, screen, toolboxes, log } = this.#options;
    const { account } = prepared.request.caller;
    this.#count++;
    const silent = this.#hush(account);
    const conversation = conversations.of(account);
    const ticket = this.#floor.enter(account);
    try {
      await Promise.all([silent, ticket.ready]);
      const left = AbortSignal.any([ticket.signal, signal]);
      yield* writtenReply({ prepared, conversation, screen, toolboxes, log, signal: left, reader: signal });
    } finally {
      ticket.release();
    }
  }

  /** Speaks words as they are: no model, no history. Resolves once the voice has begun; rejects with a Refusal. */
  async talk(request: TalkRequest): Promise<void> {
    const { portal, slot, hub, log } = this.#options;
    const { account } = request.caller;
    requireWords(request.content, "text");
    const acceptedAtMs = performance.now();
    const session = slot.of(account);
    if (!session) throw new Refusal("no_live_session", "There is no live session; call /connect first.");
    const { generation } = session.director;
    const { settings } = await portal.settings(account);
    const voice = this.#voice({ wish: request, session, settings });
    if (session.signal.aborted) throw new Refusal("no_live_session", "The live session has ended.");
    if (generation !== session.director.generation)
      throw new Refusal("voice_failed", "The words were interrupted before they were spoken.");
    this.#count++;
    session.limits.touch();
    await speakAsWritten({ request, session, voice, acceptedAtMs, hub, log });
  }

  /** What a stop of this moment stops. */
  look(): Sight {
    const session = this.#options.slot.current;
    return {
      ticket: this.#floor.count,
      asked: this.#preparing.count,
      session,
      generation: session?.director.generation ?? 0,
    };
  }

  /** Barge-in. Resolves once the turn has closed and nothing is heard any more. */
  async interrupt(account: string, sight: Sight = this.look()): Promise<void> {
    const { slot, hub } = this.#options;
    const { ticket, asked, session, generation } = sight;
    this.#preparing.stop(account, asked);
    const current = slot.of(account);
    current?.limits.touch();
    this.#held.get(account)?.drop();
    const silent = current && current === session ? current.director.interrupt(generation) : null;
    await Promise.all([silent, this.#floor.clear(account, ticket)]);
    hub.publish(account, { type: "interrupted" });
  }

  /** Forgets the account's conversation and stops what it says. */
  async reset(account: string): Promise<string | null> {
    const id = this.#options.conversations.reset(account);
    this.#preparing.stop(account);
    await Promise.all([this.#hush(account), this.#floor.clear(account)]);
    return id;
  }

  async #prepare(request: MessageRequest): Promise<PreparedMessage> {
    const { faces, models, portal, slot } = this.#options;
    const { account } = request.caller;
    requireWords(request.content, "message");
    const session = slot.of(account);
    const { settings, models: measured } = await portal.settings(account);
    const { avatar } = request;
    if (avatar && faces && avatar !== session?.avatar.id && !faces.resolve(account, avatar))
      throw new Refusal("unknown_avatar", `There is no avatar ${JSON.stringify(avatar)}.`);
    const model = models.choose(settings, session !== null);
    const voice = session && this.#voice({ wish: request, session, settings });
    const content = await this.#screened(request.content, session);
    return {
      request: { ...request, content },
      settings,
      model,
      parameters: models.parameters(settings, model, measured),
      live: session && voice ? { session, voice } : null,
    };
  }

  #delivery(prepared: PreparedMessage): Delivery {
    const { conversations, hub, screen, toolboxes, log } = this.#options;
    const { live, request, settings } = prepared;
    const conversation = conversations.of(request.caller.account);
    const voiceIn = (language: Language) => {
      try {
        return live && this.#voice({ wish: request, session: live.session, settings, language });
      } catch {
        // The one that speaks so far goes on.
        return null;
      }
    };
    return new Delivery({ prepared, conversation, voiceIn, hub, screen, toolboxes, log });
  }

  #voice({
    wish,
    session,
    settings,
    language = session.call.chosenLanguage,
  }: {
    wish: VoiceWish;
    session: LiveSession;
    settings: Settings;
    language?: Language | null;
  }): ChosenVoice {
    return this.#options.voices.choose(
      wish,
      session.voice,
      settings,
      session.avatar.id,
      language ?? undefined,
    );
  }

  async #perform(
    prepared: PreparedMessage,
    delivery: Delivery,
    observer: TurnObserver | undefined,
  ): Promise<TurnResult> {
    const { request, live } = prepared;
    const { account } = request.caller;
    const acceptedAtMs = performance.now();
    this.#count++;
    // A new message is a barge-in: the avatar stops to listen.
    const silent = this.#hush(account);
    const ticket = this.#floor.enter(account);
    delivery.follow(ticket.signal);
    // Whoever speaks is stopped by speaking: an interrupt before their turn was meant for the one before it.
    if (request.source !== "spoken" && this.#preparing.wasStopped(prepared)) delivery.interrupt();
    try {
      await Promise.all([silent, ticket.ready]);
      if (live && !live.session.signal.aborted) {
        live.session.limits.touch();
        live.session.turns++;
      }
      const result = await delivery.deliver({ acceptedAtMs, observer });
      this.#options.onTurn?.({ source: request.source, result });
      return result;
    } finally {
      ticket.release();
    }
  }

  /** Silence, and nothing held; synchronous up to the stage's answer. */
  #hush(account: string): Promise<void> | undefined {
    this.#held.get(account)?.drop();
    return this.#options.slot.of(account)?.director.interrupt();
  }

  async #screened(content: string, session: LiveSession | null): Promise<string> {
    const { screen, log } = this.#options;
    const { text, reason } = await screen.message(content, session?.signal ?? new AbortController().signal);
    if (reason !== null) log.info({ reason }, "the screen removed words of a message");
    if (text.trim() === "") throw new Refusal("message_refused", sentences.messageRemoved);
    return text;
  }
}

function requireWords(text: string, field: string): void {
  if (text.trim() === "") throw new Refusal("invalid_body", `${field}: must not be blank.`);
}
