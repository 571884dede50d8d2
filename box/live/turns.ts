// Turns: a message answered by the model, or words spoken as given. Typed, posted and spoken messages all come here.

import type { Settings } from "../../contract/settings.ts";
import type { Language } from "../../contract/tones.ts";
import type { Caller } from "../access/caller.ts";
import type { Conversations } from "../chat/conversation.ts";
import type { Screen } from "../chat/moderation/screen.ts";
import type { Models } from "../chat/models/models.ts";
import type { Toolboxes } from "../chat/tools/toolbox.ts";
import { Refusal } from "../failure.ts";
import type { Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import type { AccountVoices, ChosenVoice, Voices, VoiceWish } from "../voices/voices.ts";
import { Delivery } from "./delivery.ts";
import type { Faces } from "./faces.ts";
import { sentences, turnFailure } from "./failure.ts";
import { Floor } from "./floor.ts";
import type { Hub } from "./hub.ts";
import { Preparing } from "./preparing.ts";
import type { LiveSession } from "./session.ts";
import type { Slot } from "./slot.ts";
import { SpeculativeReply } from "./speculation.ts";
import { SpokenWords } from "./spoken-words.ts";
import type {
  MessageRequest,
  PreparedMessage,
  Recorder,
  Speculation,
  TalkRequest,
  TurnObserver,
  TurnResult,
  TurnSource,
} from "./turn.ts";
import { writtenReply, type RecordedTurn } from "./written.ts";

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
  /** Hears what came of every turn, talk apart. */
  onTurn?: ((turn: { source: TurnSource; result: TurnResult }) => void) | undefined;
}

/** What ran when somebody said stop: what began later goes on. */
export interface Sight {
  ticket: number;
  asked: number;
  session: LiveSession | null;
  utterance: number;
}

export interface Stop {
  /** Left out: everything of this moment. */
  sight?: Sight;
  /** A speaker who cuts in may be about to say something. */
  by?: "speaker" | "command";
}

export class Turns {
  readonly #options: TurnOptions;
  readonly #floor = new Floor();
  readonly #preparing = new Preparing();
  readonly #held = new Map<string, SpeculativeReply>();
  readonly #spoken = new Set<SpokenWords>();
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
    const content = request.content.toWellFormed();
    const { account } = request.caller;
    return this.#preparing.run({ account, kind: "message" }, () => this.#prepare({ ...request, content }));
  }

  /** What the next turn of a session would speak with. Rejects with the Refusal that the turn would get. */
  async voiceFor({
    caller,
    session,
    wish,
  }: {
    caller: Caller;
    session: LiveSession;
    wish: VoiceWish;
  }): Promise<ChosenVoice> {
    const { settings } = await this.#options.portal.settings(caller.account);
    const voices = await this.#voicesOf(session, settings, wish);
    return this.#voice({ voices, wish, session, settings });
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
      afresh: (observer) =>
        this.message({ ...prepared, conversation: this.#options.conversations.of(account) }, observer),
      isOutdated: () => this.#floor.busy(account),
      onSettled: () => {
        if (this.#held.get(account) === held) this.#held.delete(account);
      },
    });
    this.#held.set(account, held);
    return held;
  }

  /** A reply that is spoken to a file. Rejects with what failed; `reader` aborts when nobody waits for it any more. */
  async record(
    prepared: PreparedMessage,
    { record, reader }: { record: Recorder; reader: AbortSignal },
  ): Promise<RecordedTurn> {
    const { screen, toolboxes, log } = this.#options;
    const { account } = prepared.request.caller;
    this.#count++;
    const silent = this.#hush(account);
    const ticket = this.#floor.enter(account);
    const stopped = this.#preparing.wasStopped(prepared) ? [AbortSignal.abort()] : [];
    const signal = AbortSignal.any([ticket.signal, reader, ...stopped]);
    try {
      await Promise.all([silent, ticket.ready]);
      const turn = await writtenReply({ prepared, screen, toolboxes, log, record, signal, reader });
      this.#tell(prepared, turn);
      return turn;
    } catch (error) {
      const failure = turnFailure(error);
      const interrupted = signal.aborted;
      this.#tell(prepared, { reply: "", tone: "neutral", tools: [], actions: [], interrupted, failure });
      throw error;
    } finally {
      ticket.release();
    }
  }

  /**
   * Speaks words as they are: no model, no history. Rejects with a Refusal before anything happens; otherwise it
   * resolves once the voice has begun, or with why it did not, which the control sockets know then. `onPlaced`: whatever
   * is asked for from now on is said after them.
   */
  async talk(
    request: TalkRequest,
    { onPlaced }: { onPlaced?(): void } = {},
  ): Promise<{ failure: Refusal | null }> {
    const content = request.content.toWellFormed();
    const { account } = request.caller;
    requireWords(content, "text");
    if (!sayable.test(content)) throw new Refusal("invalid_body", "text: has nothing that can be spoken.");
    const spoken = await this.#preparing.run({ account, kind: "talk" }, (stopped) =>
      this.#beginTalk({ ...request, content }, stopped),
    );
    onPlaced?.();
    return { failure: await spoken.begun };
  }

  /** What a stop of this moment stops. */
  look(): Sight {
    const session = this.#options.slot.current;
    return {
      ticket: this.#floor.count,
      asked: this.#preparing.count,
      session,
      utterance: session?.director.last ?? 0,
    };
  }

  /** Barge-in. Resolves once the turn has closed and nothing is heard any more. */
  async interrupt(account: string, { sight = this.look(), by = "command" }: Stop = {}): Promise<void> {
    const { slot, hub } = this.#options;
    const { ticket, asked, session, utterance } = sight;
    this.#preparing.stop(account, { upTo: asked });
    const current = slot.of(account);
    current?.limits.touch();
    this.#held.get(account)?.drop();
    current?.departure.cut(by);
    const silent = current && current === session ? current.director.interrupt(utterance) : null;
    await Promise.all([silent, this.#closings(account), this.#floor.clear(account, ticket)]);
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
    const { conversations, faces, models, portal, slot } = this.#options;
    const { account } = request.caller;
    requireWords(request.content, "message");
    const conversation = conversations.of(account);
    const session = slot.of(account);
    const { settings, models: measured } = await portal.settings(account);
    const { avatar } = request;
    if (avatar && faces && avatar !== session?.avatar.id && !faces.resolve(account, avatar))
      throw new Refusal("unknown_avatar", `There is no avatar ${JSON.stringify(avatar)}.`);
    const model = models.choose(settings, session !== null);
    const voice =
      session &&
      warmed(
        this.#voice({
          voices: await this.#voicesOf(session, settings, request),
          wish: request,
          session,
          settings,
        }),
      );
    const content = await this.#screened(request.content, session);
    return {
      request: { ...request, content },
      settings,
      model,
      parameters: models.parameters(settings, model, measured),
      conversation,
      live: session && voice ? { session, voice } : null,
    };
  }

  async #beginTalk(request: TalkRequest, stopped: () => boolean): Promise<SpokenWords> {
    const { portal, slot, hub, log } = this.#options;
    const { account } = request.caller;
    const acceptedAtMs = performance.now();
    const session = slot.of(account);
    if (!session) throw new Refusal("no_live_session", "There is no live session; call /connect first.");
    const { settings } = await portal.settings(account);
    const voices = await this.#voicesOf(session, settings, request);
    const voice = warmed(this.#voice({ voices, wish: request, session, settings }));
    if (session.signal.aborted) throw new Refusal("no_live_session", sentences.sessionEnded);
    if (stopped()) throw new Refusal("voice_failed", "The words were interrupted before they were spoken.");
    this.#count++;
    session.limits.touch();
    const spoken = new SpokenWords({ request, session, voice, acceptedAtMs, hub, log });
    this.#spoken.add(spoken);
    void spoken.closed.finally(() => this.#spoken.delete(spoken));
    return spoken;
  }

  /** Resolves once the account's words that are to fall silent have closed. */
  async #closings(account: string): Promise<void> {
    const stopped = [...this.#spoken].filter((spoken) => spoken.account === account && spoken.stopped);
    await Promise.all(stopped.map(({ closed }) => closed));
  }

  #delivery(prepared: PreparedMessage): Delivery {
    const { hub, screen, toolboxes, log } = this.#options;
    const { conversation, live, request, settings } = prepared;
    const voiceIn = (language: Language) => {
      try {
        const voices = this.#options.voices.known(request.caller.account);
        return live && this.#voice({ voices, wish: request, session: live.session, settings, language });
      } catch {
        // The one that speaks so far goes on.
        return null;
      }
    };
    return new Delivery({ prepared, conversation, voiceIn, hub, screen, toolboxes, log });
  }

  /** What the account of a session may speak with, as recent as a turn needs it. */
  #voicesOf(session: LiveSession, settings: Settings, wish: VoiceWish): Promise<AccountVoices> {
    return this.#options.voices.of(session.account, { settings, wishes: [wish, session.voice] });
  }

  #voice({
    voices,
    wish,
    session,
    settings,
    language = session.call.chosenLanguage,
  }: {
    voices: AccountVoices;
    wish: VoiceWish;
    session: LiveSession;
    settings: Settings;
    language?: Language | null;
  }): ChosenVoice {
    return voices.choose(wish, session.voice, settings, session.avatar.id, language ?? undefined);
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
    live?.session.departure.cancel();
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
      this.#tell(prepared, result);
      return result;
    } finally {
      ticket.release();
    }
  }

  #tell({ request }: PreparedMessage, result: TurnResult): void {
    this.#options.onTurn?.({ source: request.source, result });
  }

  /** Silence, and nothing held; synchronous up to the stage's answer. */
  async #hush(account: string): Promise<void> {
    this.#held.get(account)?.drop();
    this.#preparing.stop(account, { kind: "talk" });
    await Promise.all([this.#options.slot.of(account)?.director.interrupt(), this.#closings(account)]);
  }

  async #screened(content: string, session: LiveSession | null): Promise<string> {
    const { screen, log } = this.#options;
    const { text, reason } = await screen.message(content, session?.signal ?? new AbortController().signal);
    if (reason !== null) log.info({ reason }, "the screen removed words of a message");
    // A session that ends lets nobody answer what was asked about its words.
    if (text.trim() === "" && session?.signal.aborted)
      throw new Refusal("no_live_session", sentences.sessionEnded);
    if (text.trim() === "") throw new Refusal("message_refused", sentences.messageRemoved);
    return text;
  }
}

/** It loads while the model thinks. */
function warmed(chosen: ChosenVoice): ChosenVoice {
  chosen.engine.warm?.(chosen.voice);
  return chosen;
}

const sayable = /[\p{L}\p{N}]/u;

function requireWords(text: string, field: string): void {
  if (text.trim() === "") throw new Refusal("invalid_body", `${field}: must not be blank.`);
}
