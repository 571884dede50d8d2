// A turn: its request, what it tells while it runs, and what came of it.

import type { ModelParameters } from "../../contract/model-parameters.ts";
import type { Settings } from "../../contract/settings.ts";
import type { Tone } from "../../contract/tones.ts";
import type { Caller } from "../access/caller.ts";
import type { Conversation } from "../chat/conversation.ts";
import type { ChosenModel } from "../chat/models/models.ts";
import type { Clause } from "../chat/speech.ts";
import type { PersonaAction } from "../chat/tools/toolbox.ts";
import type { Refusal } from "../failure.ts";
import type { ChosenVoice, VoiceWish } from "../voices/voices.ts";
import type { LiveSession } from "./session.ts";

/** How the words came: over the control socket, by POST, or through the microphone. */
export type TurnSource = "typed" | "posted" | "spoken";

export interface MessageRequest extends VoiceWish {
  caller: Caller;
  source: TurnSource;
  content: string;
  correlationId: string | null;
  /** Asked for this turn; refused when it is neither the live face nor one the caller has. */
  avatar?: string | undefined;
}

export interface TalkRequest extends VoiceWish {
  caller: Caller;
  content: string;
  tone?: Tone | undefined;
  correlationId: string | null;
}

/** A message whose model and voice are settled: nothing that could be refused beforehand is left. */
export interface PreparedMessage {
  request: MessageRequest;
  settings: Settings;
  model: ChosenModel;
  parameters: ModelParameters;
  /** The one it was asked in, which a reset may have closed since. */
  conversation: Conversation;
  /** Null: answered in writing only. */
  live: { session: LiveSession; voice: ChosenVoice } | null;
}

/**
 * Speaks the clauses of a reply to a file and names it; asks for a clause when the one before is spoken. The signal's
 * abort ends it early. Rejects with what failed, and when there is nothing to keep.
 */
export type Recorder = (clauses: AsyncIterable<Clause>, signal: AbortSignal) => Promise<string>;

/** What a turn tells whoever started it, in the order it happens; control sockets hear of it through the hub. */
export interface TurnObserver {
  /** A clause is handed to the voice. */
  onClause?(clause: Clause): void;
  /** A tool runs. */
  onTool?(tool: { name: string; label: string }): void;
  /** The persona did something rather than said something. */
  onAction?(action: PersonaAction): void;
  /** The first audio of the reply is ready, so long after the turn was accepted. */
  onFirstAudio?(milliseconds: number): void;
}

export interface TurnResult {
  /** The clauses handed to the voice, joined: the words as the moderation screen left them. */
  reply: string;
  tone: Tone;
  /** Labels of the tools that ran. */
  tools: string[];
  /** What the persona did; a turn may hold nothing else. */
  actions: PersonaAction[];
  interrupted: boolean;
  /** Why there are no words, or fewer than the model meant; null on a whole reply and on a turn of actions only. */
  failure: Refusal | null;
}

/**
 * A reply begun before it is sure that it is wanted: nothing of it is heard, told or kept until it is committed. An
 * interrupt, a reset, another message of the account and the end of its session drop it.
 */
export interface Speculation {
  readonly prepared: PreparedMessage;
  /** It is wanted: everything held is told and spoken, and the turn goes on as any other; one that is gone is made anew. */
  commit(observer?: TurnObserver): Promise<TurnResult>;
  /** It is not: the model and the voice stop, and it leaves no trace. Idempotent; without effect after a commit. */
  drop(): void;
}
