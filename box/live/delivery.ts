// One reply on its way to the people who wait for it: told, spoken, remembered as far as it was heard, and closed.

import { randomUUID } from "node:crypto";
import type { Language } from "../../contract/tones.ts";
import type { Conversation } from "../chat/conversation.ts";
import type { ModelMessage } from "../chat/models/model.ts";
import type { Screen } from "../chat/moderation/screen.ts";
import type { Clause } from "../chat/speech.ts";
import type { PersonaAction, Toolboxes } from "../chat/tools/toolbox.ts";
import type { Refusal } from "../failure.ts";
import type { Log } from "../ops/log.ts";
import type { ChosenVoice } from "../voices/voices.ts";
import { complain, nothing } from "./failure.ts";
import { farewell } from "./farewell.ts";
import type { Hub } from "./hub.ts";
import { replySteps, type ReplyStep } from "./steps.ts";
import { nowSeconds } from "./transcript.ts";
import type { PreparedMessage, TurnObserver, TurnResult } from "./turn.ts";
import type { Utterance } from "./utterance.ts";

export interface DeliveryOptions {
  prepared: PreparedMessage;
  conversation: Conversation;
  /** The voice of the turn in another language; null when there is none. */
  voiceIn(language: Language): ChosenVoice | null;
  hub: Hub;
  screen: Screen;
  toolboxes: Toolboxes;
  log: Log;
}

/** What makes a reply wanted. */
export interface Acceptance {
  /** performance.now() when the turn was accepted. */
  acceptedAtMs: number;
  observer: TurnObserver | undefined;
}

/** Until it is delivered, the reply is made and held: nobody hears of it, no tool runs, and it leaves no trace. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #id = randomUUID();
  readonly #stop = new AbortController();
  readonly #released = Promise.withResolvers<void>();
  readonly #untold: (() => void)[] = [];
  readonly #said: Clause[] = [];
  readonly #tools = new Set<string>();
  readonly #actions: PersonaAction[] = [];
  readonly #followed: (() => void)[] = [];
  /** What was said before it, as it knows it. */
  #basis = "";
  #wanted = false;
  #making: Promise<void> | null = null;
  #utterance: Utterance | null = null;
  #observer: TurnObserver | undefined;
  #interrupted = false;
  #removed = false;
  #unspoken = false;
  /** A clause was told as the last one. */
  #ended = false;
  #failure: Refusal | null = null;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { live, request } = options.prepared;
    if (!live) return;
    this.#utterance = live.session.director.hold({
      voice: live.voice,
      correlationId: request.correlationId,
      // No further words: nobody would hear them.
      onFailed: () => this.#stop.abort(),
    });
    this.follow(live.session.signal);
  }

  /** True when it came to nothing before anybody asked for it, or does not know what was said since it was begun. */
  get spoiled(): boolean {
    if (this.#wanted) return false;
    return this.#failure !== null || this.#stop.signal.aborted || this.#basis !== this.#history();
  }

  /** From now on the signal's abort interrupts the reply. */
  follow(signal: AbortSignal): void {
    const interrupt = () => this.interrupt();
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    this.#followed.push(() => signal.removeEventListener("abort", interrupt));
  }

  /** Begins to make the reply. */
  make(): void {
    this.#making ??= this.#make();
  }

  /**
   * It is wanted: the turn is accepted, what was held is told and spoken, tools may run. Called once. Resolves when the
   * turn has closed; never rejects.
   */
  async deliver(acceptance: Acceptance): Promise<TurnResult> {
    try {
      this.#release(acceptance);
      this.make();
      await this.#making;
      return await this.#conclude();
    } finally {
      this.#unfollow();
    }
  }

  /** No more of it is made or heard. One that was not delivered is gone. */
  interrupt(): void {
    if (this.#interrupted) return;
    this.#interrupted = true;
    this.#unfollow();
    this.#stop.abort();
    const utterance = this.#utterance;
    if (!utterance || utterance.over) return;
    if (utterance.number === null) utterance.end({ interrupted: true, playedMs: 0 });
    else if (!utterance.stopped) void this.#options.prepared.live?.session.director.interrupt();
  }

  #unfollow(): void {
    for (const unfollow of this.#followed.splice(0)) unfollow();
  }

  #release({ acceptedAtMs, observer }: Acceptance): void {
    const { prepared, conversation, hub } = this.#options;
    const { request, live } = prepared;
    const { caller, content, correlationId } = request;
    this.#observer = observer;
    hub.publish(caller.account, {
      type: "user_message",
      id: randomUUID(),
      role: "user",
      content,
      correlationId,
    });
    conversation.append("user", content);
    if (!live?.session.signal.aborted) live?.session.transcript.user(content);
    this.#wanted = true;
    if (!this.#interrupted) {
      const onFirstAudio = (milliseconds: number) => observer?.onFirstAudio?.(milliseconds);
      if (this.#utterance) live?.session.director.open(this.#utterance, { acceptedAtMs, onFirstAudio });
      for (const tell of this.#untold) tell();
    }
    this.#untold.length = 0;
    this.#released.resolve();
  }

  async #make(): Promise<void> {
    await this.#speak();
    try {
      await this.#utterance?.finish();
    } catch (error) {
      this.#failure = complain(this.#options.log, error, "speaking failed");
      this.#unspoken = this.#utterance?.firstPcmAtMs === null;
    }
  }

  /** The conversation so far, up to the message that is answered. */
  #past(): ModelMessage[] {
    const { conversation, prepared } = this.#options;
    const past: ModelMessage[] = conversation.messages();
    if (this.#wanted) return past;
    this.#basis = this.#history();
    // Nothing is kept yet of a message that may not have been the whole of it.
    const { content } = prepared.request;
    const last = past.at(-1);
    if (last?.role === "user") last.content = `${last.content}\n${content}`;
    else past.push({ role: "user", content });
    return past;
  }

  #history(): string {
    return JSON.stringify(this.#options.conversation.messages());
  }

  async #speak(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { prepared, screen, toolboxes, log } = this.#options;
    const { settings, live } = prepared;
    const steps = replySteps({
      prepared,
      messages: this.#past(),
      toolbox: toolboxes.of(settings, live !== null),
      screen,
      wanted: this.#released.promise,
      language: () => live?.session.call.language ?? "en",
      signal: this.#stop.signal,
      log,
    });
    try {
      for await (const step of steps) {
        if (this.#stop.signal.aborted || this.#utterance?.over) return;
        this.#take(step);
      }
    } catch (error) {
      this.#failure = complain(log, error, "the model failed");
    }
  }

  #take(step: ReplyStep): void {
    switch (step.case) {
      case "clause":
        this.#tell(() => this.#show(step.clause));
        void this.#utterance?.say(step.clause).catch(() => undefined);
        break;
      case "removed":
        this.#removed = true;
        break;
      case "tool":
        this.#tools.add(step.label);
        this.#observer?.onTool?.({ name: step.name, label: step.label });
        break;
      case "action":
        this.#act(step.action);
        break;
    }
  }

  #tell(tell: () => void): void {
    if (this.#wanted) tell();
    else this.#untold.push(tell);
  }

  #show(clause: Clause): void {
    const { hub, prepared } = this.#options;
    const { caller, correlationId } = prepared.request;
    hub.publish(caller.account, {
      type: "message_stream",
      id: this.#id,
      role: "persona",
      content: clause.text,
      tone: clause.tone,
      contentIndex: this.#said.length,
      endOfSpeech: clause.last,
      correlationId,
    });
    this.#ended = clause.last;
    this.#said.push(clause);
    this.#observer?.onClause?.(clause);
  }

  #act(action: PersonaAction): void {
    const call = this.#options.prepared.live?.session.call;
    this.#actions.push(action);
    if (action.name === "end_call") this.#options.prepared.live?.session.departure.begin();
    if (action.name === "pause_conversation") call?.setPaused(action.paused);
    if (action.name === "set_language") {
      call?.setLanguage(action.language);
      const voice = this.#options.voiceIn(action.language);
      if (voice) this.#utterance?.changeVoice(voice);
    }
    this.#observer?.onAction?.(action);
  }

  async #conclude(): Promise<TurnResult> {
    const { live } = this.#options.prepared;
    const utterance = this.#utterance;
    // Words that nobody can hear are no reply.
    if (this.#unspoken) this.#said.length = 0;
    const interrupted = this.#interrupted || utterance?.interrupted === true;
    const reply = this.#said.map((clause) => clause.text).join(" ");
    const tone = this.#said[0]?.tone ?? "neutral";
    const quiet = this.#actions.length > 0 && !interrupted && !this.#removed;
    if (reply === "" && !quiet) this.#failure ??= nothing({ interrupted, removed: this.#removed });
    const result: TurnResult = {
      reply,
      tone,
      tools: [...this.#tools],
      actions: [...this.#actions],
      interrupted,
      failure: this.#failure,
    };
    const remembered = this.#remember(result);
    // Whoever speaks next must know how much of this was heard.
    if (interrupted) await remembered;
    this.#close(result);
    const ended = this.#actions.some(({ name }) => name === "end_call");
    if (ended && live && utterance)
      void farewell({ session: live.session, utterance, hub: this.#options.hub });
    return result;
  }

  /** History holds the reply at once, so that the next turn knows it, and is cut to what was heard when that is known. */
  async #remember({ reply, tone, failure }: TurnResult): Promise<void> {
    if (reply === "") return;
    const { conversation, prepared } = this.#options;
    const entry = conversation.append("assistant", reply);
    const at = nowSeconds();
    if (!this.#utterance) return;
    const { interrupted, heard } = await this.#utterance.ended;
    const whole = !interrupted && failure === null;
    if (!whole) conversation.trim(entry, heard);
    prepared.live?.session.transcript.assistant({ heard: whole ? reply : heard, tone, at });
  }

  /** The one closing event of a turn. One of actions only closes with no words. */
  #close({ reply, tone, failure }: TurnResult): void {
    const { hub, prepared } = this.#options;
    const { caller, correlationId } = prepared.request;
    if (reply === "" && failure) {
      hub.publish(caller.account, { type: "error", error: failure.message, fatal: false });
      return;
    }
    if (failure) hub.publish(caller.account, { type: "warning", message: failure.message });
    // What came after the last clause was nothing to say: that it was the last one is known only now.
    if (reply !== "" && !this.#ended)
      hub.publish(caller.account, {
        type: "message_stream",
        id: this.#id,
        role: "persona",
        content: "",
        tone: this.#said.at(-1)?.tone ?? tone,
        contentIndex: this.#said.length,
        endOfSpeech: true,
        correlationId,
      });
    hub.publish(caller.account, {
      type: "message",
      id: this.#id,
      role: "persona",
      content: reply,
      tone,
      avatar: prepared.live?.session.avatar.id ?? "",
      correlationId,
    });
  }
}
