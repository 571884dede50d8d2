// A reply in writing, for a caller with no live session: its words, and the recording that is made of them.

import type { Screen } from "../chat/moderation/screen.ts";
import type { Clause } from "../chat/speech.ts";
import type { PersonaAction, Toolboxes } from "../chat/tools/toolbox.ts";
import type { Log } from "../ops/log.ts";
import { nothing } from "./failure.ts";
import { replySteps } from "./steps.ts";
import type { PreparedMessage, Recorder, TurnResult } from "./turn.ts";

export interface WrittenOptions {
  prepared: PreparedMessage;
  screen: Screen;
  toolboxes: Toolboxes;
  log: Log;
  record: Recorder;
  /** Ends the reply early. */
  signal: AbortSignal;
  /** Aborts when nobody waits for the reply any more: it was not given then. */
  reader: AbortSignal;
}

export interface RecordedTurn extends TurnResult {
  /** What its recording is called; empty when the persona only acted. */
  audio: string;
}

/** The reply enters the history once there is a recording to give. Rejects with what failed. */
export async function writtenReply(options: WrittenOptions): Promise<RecordedTurn> {
  const { prepared, record, signal, reader } = options;
  const { conversation } = prepared;
  conversation.append("user", prepared.request.content);
  const reply = new WrittenReply(options);
  let audio = "";
  try {
    audio = await record(reply.clauses(), signal);
  } catch (error) {
    // A persona that only acts makes no recording.
    if (!reply.quiet) throw error;
  }
  const words = reply.said.map(({ text }) => text).join(" ");
  if (words !== "" && !reader.aborted) conversation.append("assistant", words);
  return {
    reply: words,
    tone: reply.said[0]?.tone ?? "neutral",
    tools: [...reply.tools],
    actions: reply.actions,
    interrupted: signal.aborted || reader.aborted,
    failure: null,
    audio,
  };
}

class WrittenReply {
  /** Clauses that were spoken to their end. */
  readonly said: Clause[] = [];
  readonly tools = new Set<string>();
  readonly actions: PersonaAction[] = [];
  /** It is over without a word, as the persona wishes. */
  quiet = false;
  readonly #options: WrittenOptions;

  constructor(options: WrittenOptions) {
    this.#options = options;
  }

  /** Asked for one by one: whoever asks for the next has spoken the one before. Throws what leaves nothing to give. */
  async *clauses(): AsyncGenerator<Clause, void, undefined> {
    const { prepared, toolboxes, screen, log, signal, reader } = this.#options;
    const steps = replySteps({
      prepared,
      messages: prepared.conversation.messages(),
      toolbox: toolboxes.of(prepared.settings, false),
      screen,
      wanted: Promise.resolve(),
      language: () => "en",
      signal,
      log,
    });
    let removed = false;
    for await (const step of steps) {
      if (step.case === "clause") {
        yield step.clause;
        if (signal.aborted) break;
        this.said.push(step.clause);
      } else if (step.case === "removed") removed = true;
      else if (step.case === "tool") this.tools.add(step.label);
      else this.actions.push(step.action);
    }
    const interrupted = signal.aborted;
    if (this.said.length > 0 && !reader.aborted) return;
    if (interrupted || removed || this.actions.length === 0) throw nothing({ interrupted, removed });
    this.quiet = true;
  }
}
