// Turns: a message answered by the model, or words spoken as given.

import { randomUUID } from "node:crypto";
import type { Tone } from "../../contract/tones.ts";
import { abortable } from "../chat/abortable.ts";
import type { Conversations } from "../chat/conversation.ts";
import { ModelError, type ModelPiece } from "../chat/models/model.ts";
import type { Screen } from "../chat/moderation/screen.ts";
import type { Models } from "../chat/models/models.ts";
import { systemPrompt } from "../chat/prompt.ts";
import { clausesAsWritten, clausesOf, type Clause } from "../chat/speech.ts";
import type { Toolboxes } from "../chat/tools/toolbox.ts";
import { Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import { VoiceError } from "../voices/voice.ts";
import type { Voices } from "../voices/voices.ts";
import { Floor } from "./floor.ts";
import type { Hub } from "./hub.ts";
import type { LiveSession } from "./session.ts";
import type { Slot } from "./slot.ts";
import { nowSeconds } from "./transcript.ts";
import type {
  MessageRequest,
  PreparedMessage,
  Speculation,
  TalkRequest,
  TurnObserver,
  TurnResult,
} from "./turn.ts";
import type { Utterance } from "./utterance.ts";

export interface TurnOptions {
  models: Models;
  voices: Voices;
  conversations: Conversations;
  portal: Portal;
  slot: Slot;
  hub: Hub;
  screen: Screen;
  toolboxes: Toolboxes;
  log: Log;
}

const noWords = "The model wrote nothing.";
const cutBefore = "The reply was interrupted before it began.";

/** What a failed turn tells its caller; the cause goes to the log. */
export function turnFailure(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ModelError) return new Refusal("model_failed", error.message, { cause: error });
  if (error instanceof VoiceError) return new Refusal("voice_failed", error.message, { cause: error });
  return new Refusal("internal", "Something went wrong on this turn.", { cause: error });
}

export class Turns {
  readonly #options: TurnOptions;
  readonly #floor = new Floor();
  #count = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Turns since the box started, talk included. */
  get count(): number {
    return this.#count;
  }

  /** Settles model and voice. Rejects with the Refusal that the caller gets before anything happens. */
  async prepare(request: MessageRequest): Promise<PreparedMessage> {
    const { models, portal, slot, voices } = this.#options;
    requireWords(request.content, "message");
    const session = slot.of(request.caller.account);
    const { settings, models: measured } = await portal.settings(request.caller.account);
    const model = models.choose(settings, session !== null);
    const voice = session && voices.choose(request, session.voice, settings, session.avatar.id);
    return {
      request,
      settings,
      model,
      parameters: models.parameters(settings, model, measured),
      live: session && voice ? { session, voice } : null,
    };
  }

  /** The model answers. Never rejects: what went wrong is in the result, and was told to the control sockets. */
  async message(prepared: PreparedMessage, observer?: TurnObserver): Promise<TurnResult> {
    const { request, live } = prepared;
    const { caller, correlationId, content } = request;
    const { hub } = this.#options;
    const acceptedAtMs = performance.now();
    this.#count++;
    // A new message is a barge-in: the avatar stops to listen.
    await Promise.all([live?.session.director.interrupt(), this.#floor.clear(caller.account)]);
    const floor = await this.#floor.take(caller.account);
    const signal = live ? AbortSignal.any([floor.signal, live.session.signal]) : floor.signal;
    if (live) {
      live.session.limits.touch();
      live.session.turns++;
    }
    const id = randomUUID();
    try {
      hub.publish(caller.account, {
        type: "user_message",
        id: randomUUID(),
        role: "user",
        content,
        correlationId,
      });
      const utterance = live?.session.director.begin({ voice: live.voice, correlationId, acceptedAtMs });
      const result = await this.#reply(prepared, { id, signal, utterance, observer });
      this.#close(prepared, id, result);
      return result;
    } finally {
      floor.release();
    }
  }

  /** Begins a reply that may not be wanted. */
  speculate(prepared: PreparedMessage): Speculation {
    return { prepared, commit: (observer) => this.message(prepared, observer), drop: () => undefined };
  }

  /** The clauses of a reply that is not spoken live; they enter the history as they are. Rejects with what failed. */
  async *written(prepared: PreparedMessage, signal: AbortSignal): AsyncGenerator<Clause, void, undefined> {
    const { caller, content } = prepared.request;
    this.#count++;
    const floor = await this.#floor.take(caller.account);
    const either = AbortSignal.any([floor.signal, signal]);
    const conversation = this.#options.conversations.of(caller.account);
    conversation.append("user", content);
    const said: string[] = [];
    try {
      for await (const clause of this.#clauses(prepared, either)) {
        said.push(clause.text);
        yield clause;
      }
    } finally {
      if (said.length > 0) conversation.append("assistant", said.join(" "));
      floor.release();
    }
  }

  /** Speaks words as they are: no model, no history. Resolves once the voice has begun; rejects with a Refusal. */
  async talk(request: TalkRequest): Promise<void> {
    const { portal, slot, voices, hub } = this.#options;
    const { caller, correlationId, content } = request;
    requireWords(content, "text");
    const acceptedAtMs = performance.now();
    const session = slot.of(caller.account);
    if (!session) throw new Refusal("no_live_session", "There is no live session; call /connect first.");
    const { settings } = await portal.settings(caller.account);
    const voice = voices.choose(request, session.voice, settings, session.avatar.id);
    if (session.signal.aborted) throw new Refusal("no_live_session", "The live session has ended.");
    this.#count++;
    session.limits.touch();
    const utterance = session.director.begin({ voice, correlationId, acceptedAtMs });
    const id = randomUUID();
    const tone = request.tone ?? "neutral";
    void transcribe(session, utterance, tone);
    let contentIndex = 0;
    let begun: Promise<void> | null = null;
    for (const { text, last } of clausesAsWritten(content, tone)) {
      if (utterance.over) break;
      const role = "persona" as const;
      hub.publish(caller.account, {
        type: "message_stream",
        id,
        role,
        content: text,
        contentIndex: contentIndex++,
        endOfSpeech: last,
        tone,
        correlationId,
      });
      const said = utterance.say({ text, tone });
      begun ??= said;
    }
    hub.publish(caller.account, {
      type: "message",
      id,
      role: "persona",
      content,
      tone,
      avatar: session.avatar.id,
      correlationId,
    });
    utterance.finish().catch((error: unknown) => this.#complain(error, "speaking failed"));
    await (begun ?? Promise.resolve()).catch((error: unknown) => {
      throw turnFailure(error);
    });
  }

  /** Barge-in. Resolves once the turn has closed and nothing is heard any more. */
  async interrupt(account: string): Promise<void> {
    const session = this.#options.slot.of(account);
    session?.limits.touch();
    await Promise.all([session?.director.interrupt(), this.#floor.clear(account)]);
    this.#options.hub.publish(account, { type: "interrupted" });
  }

  /** Forgets the account's conversation and stops what it says. */
  async reset(account: string): Promise<string | null> {
    const id = this.#options.conversations.reset(account);
    await Promise.all([this.#options.slot.of(account)?.director.interrupt(), this.#floor.clear(account)]);
    return id;
  }

  #clauses(prepared: PreparedMessage, signal: AbortSignal): AsyncGenerator<Clause, void, undefined> {
    const { model, settings, parameters, request } = prepared;
    const messages = this.#options.conversations.of(request.caller.account).messages();
    const pieces = model.provider.stream({
      model: model.row.id,
      system: systemPrompt(settings),
      messages,
      tools: [],
      parameters,
      signal,
    });
    return clausesOf(textOf(abortable(pieces, signal)), { emotion: settings.emotion_responsive });
  }

  async #reply(
    prepared: PreparedMessage,
    turn: {
      id: string;
      signal: AbortSignal;
      utterance: Utterance | undefined;
      observer: TurnObserver | undefined;
    },
  ): Promise<TurnResult> {
    const { id, signal, utterance, observer } = turn;
    const { caller, content, correlationId } = prepared.request;
    const conversation = this.#options.conversations.of(caller.account);
    conversation.append("user", content);
    prepared.live?.session.transcript.user(content);
    const said: Clause[] = [];
    let failure: Refusal | null = null;
    try {
      for await (const clause of this.#clauses(prepared, signal)) {
        // The voice may have failed meanwhile, and an interrupt may have come between two clauses.
        if (signal.aborted || utterance?.over) break;
        said.push(clause);
        this.#options.hub.publish(caller.account, {
          type: "message_stream",
          id,
          role: "persona",
          content: clause.text,
          tone: clause.tone,
          contentIndex: said.length - 1,
          endOfSpeech: clause.last,
          correlationId,
        });
        observer?.onClause?.(clause);
        void utterance?.say(clause).catch(() => undefined);
      }
    } catch (error) {
      failure = this.#complain(error, "the model failed");
    }
    try {
      await utterance?.finish();
    } catch (error) {
      failure = this.#complain(error, "speaking failed");
      // Words that nobody can hear are no reply.
      if (utterance?.firstPcmAtMs === null) said.length = 0;
    }
    const interrupted = signal.aborted || (utterance?.over === true && failure === null);
    const reply = said.map((clause) => clause.text).join(" ");
    if (reply === "") failure ??= new Refusal("model_failed", interrupted ? cutBefore : noWords);
    const tone = said[0]?.tone ?? "neutral";
    if (reply !== "") void this.#remember(prepared, { reply, tone }, utterance);
    return { reply, tone, tools: [], actions: [], interrupted, failure };
  }

  /** History holds the reply at once, so that the next turn knows it, and is cut to what was heard when that is known. */
  async #remember(
    { request, live }: PreparedMessage,
    { reply, tone }: Pick<TurnResult, "reply" | "tone">,
    utterance: Utterance | undefined,
  ): Promise<void> {
    const conversation = this.#options.conversations.of(request.caller.account);
    const entry = conversation.append("assistant", reply);
    const at = nowSeconds();
    if (!utterance) return;
    const { interrupted, heard } = await utterance.ended;
    if (interrupted) conversation.trim(entry, heard);
    live?.session.transcript.assistant({ heard: interrupted ? heard : reply, tone, at });
  }

  /** The one closing event of a turn. */
  #close({ request, live }: PreparedMessage, id: string, { reply, tone, failure }: TurnResult): void {
    const { hub } = this.#options;
    const { caller, correlationId } = request;
    if (reply === "") {
      hub.publish(caller.account, { type: "error", error: failure?.message ?? noWords, fatal: false });
      return;
    }
    if (failure) hub.publish(caller.account, { type: "warning", message: failure.message });
    const avatar = live?.session.avatar.id ?? "";
    hub.publish(caller.account, {
      type: "message",
      id,
      role: "persona",
      content: reply,
      tone,
      avatar,
      correlationId,
    });
  }

  #complain(error: unknown, what: string): Refusal {
    const failure = turnFailure(error);
    const cause = failure.cause instanceof Error ? failure.cause.cause : undefined;
    this.#options.log.warn({ ...describeError(cause ?? error), code: failure.code }, what);
    return failure;
  }
}

async function* textOf(pieces: AsyncIterable<ModelPiece>): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) if (piece.case === "text") yield piece.text;
}

/** Words spoken as given enter the transcript as far as they were heard; a voice that failed at once was not. */
async function transcribe(session: LiveSession, utterance: Utterance, tone: Tone): Promise<void> {
  const at = nowSeconds();
  const { heard } = await utterance.ended;
  if (utterance.firstPcmAtMs !== null) session.transcript.assistant({ heard, tone, at });
}

function requireWords(text: string, field: string): void {
  if (text.trim() === "") throw new Refusal("invalid_body", `${field}: must not be blank.`);
}
