// A reply in writing, for a caller with no live session: its clauses, one by one.

import type { Conversation } from "../chat/conversation.ts";
import type { Screen } from "../chat/moderation/screen.ts";
import type { Clause } from "../chat/speech.ts";
import type { Toolboxes } from "../chat/tools/toolbox.ts";
import type { Log } from "../ops/log.ts";
import { nothing } from "./failure.ts";
import { replySteps } from "./steps.ts";
import type { PreparedMessage } from "./turn.ts";

export interface WrittenOptions {
  prepared: PreparedMessage;
  conversation: Conversation;
  screen: Screen;
  toolboxes: Toolboxes;
  log: Log;
  /** Ends the reply early. */
  signal: AbortSignal;
  /** Aborts when nobody waits for the reply any more: it was not given then. */
  reader: AbortSignal;
}

/** The reply enters the history once all of it was taken. Rejects with what failed; no clause at all is the persona's wish. */
export async function* writtenReply(options: WrittenOptions): AsyncGenerator<Clause, void, undefined> {
  const { prepared, conversation, screen, toolboxes, log, signal, reader } = options;
  conversation.append("user", prepared.request.content);
  const steps = replySteps({
    prepared,
    messages: conversation.messages(),
    toolbox: toolboxes.of(prepared.settings, false),
    screen,
    wanted: Promise.resolve(),
    language: () => "en",
    signal,
    log,
  });
  const said: string[] = [];
  let removed = false;
  let acted = false;
  for await (const step of steps) {
    if (step.case === "clause") {
      said.push(step.clause.text);
      yield step.clause;
    } else if (step.case === "removed") removed = true;
    else if (step.case === "action") acted = true;
  }
  const interrupted = signal.aborted;
  if (said.length > 0 && !reader.aborted) conversation.append("assistant", said.join(" "));
  else if (interrupted || removed || !acted) throw nothing({ interrupted, removed });
}
