// One reply, step by step: the model writes, its words are cut and screened, its tools run, and it writes on.

import { limits } from "../../contract/limits.ts";
import type { Language, Tone } from "../../contract/tones.ts";
import { abortable } from "../chat/abortable.ts";
import { ModelError, type ModelMessage, type ModelPiece, type ToolUse } from "../chat/models/model.ts";
import type { Screen } from "../chat/moderation/screen.ts";
import { systemPrompt } from "../chat/prompt.ts";
import { clausesOf, type Clause } from "../chat/speech.ts";
import type { PersonaAction, Toolbox, ToolOutcome } from "../chat/tools/toolbox.ts";
import { describeError, type Log } from "../ops/log.ts";
import { sentences } from "./failure.ts";
import { goodbyes } from "./farewell.ts";
import type { PreparedMessage } from "./turn.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Tools that run in one go of the model; nothing sensible takes more. */
const mostUses = 8;

export type ReplyStep =
  /** Words, as the moderation screen left them. */
  | { case: "clause"; clause: Clause }
  /** The screen left nothing of some words. */
  | { case: "removed" }
  /** A tool that exists is about to run. */
  | { case: "tool"; name: string; label: string }
  /** A tool did something to the conversation. */
  | { case: "action"; action: PersonaAction };

export interface ReplyOptions {
  prepared: PreparedMessage;
  /** The past, up to the message that is answered. */
  messages: readonly ModelMessage[];
  toolbox: Toolbox;
  screen: Screen;
  /** No tool runs before this resolves. */
  wanted: Promise<void>;
  /** The call's language, which a tool may change. */
  language(): Language;
  signal: AbortSignal;
  log: Log;
}

/** Ends early when the signal aborts; throws ModelError. */
export function replySteps(options: ReplyOptions): AsyncGenerator<ReplyStep, void, undefined> {
  return new Reply(options).steps();
}

class Reply {
  readonly #options: ReplyOptions;
  readonly #messages: ModelMessage[];
  /** Lines said while tools ran: each once a reply. */
  readonly #lines = new Set<string>();
  #tone: Tone = "neutral";

  constructor(options: ReplyOptions) {
    this.#options = options;
    this.#messages = [...options.messages];
  }

  async *steps(): AsyncGenerator<ReplyStep, void, undefined> {
    const { signal, wanted } = this.#options;
    for (let round = 0; !signal.aborted; round++) {
      const written = new WrittenRound(this.#options, this.#messages);
      let spoke = false;
      for await (const clause of written.clauses()) {
        const screened = await this.#screened(clause);
        if (screened?.case === "clause") spoke = true;
        if (screened) yield screened;
      }
      if (written.uses.length === 0 || signal.aborted) return;
      await unlessAborted(wanted, signal);
      if (signal.aborted) return;
      const outcomes =
        round < limits.toolRounds ? yield* this.#run(written.uses, spoke) : enough(written.uses);
      if (!outcomes) return;
      if (round > limits.toolRounds) throw new ModelError(sentences.onlyTools);
      this.#messages.push(written.message(), {
        role: "tool",
        results: outcomes.map(({ id, content, isError }) => ({ id, content, isError })),
      });
    }
  }

  /** Runs the tools of a round, all at once. Null when the reply ends with them. */
  async *#run(asked: readonly ToolUse[], spoke: boolean): AsyncGenerator<ReplyStep, ToolOutcome[] | null> {
    const { toolbox, signal, language } = this.#options;
    const [uses, rest] = [asked.slice(0, mostUses), asked.slice(mostUses)];
    const exists = (name: string) => toolbox.definitions.some((tool) => tool.name === name);
    // A name that the model made up is its own words, and no screen has seen them.
    for (const { name } of uses)
      if (exists(name)) yield { case: "tool", name, label: toolbox.label(name, language()) };
    const running = Promise.all(uses.map((use) => this.#outcome(use)));
    if (!spoke) yield* this.#meanwhile(uses);
    const outcomes = await unlessAborted(running, signal);
    if (!outcomes) return null;

    const ending = uses.filter(({ name }, at) => toolbox.endsTurn(name) && outcomes[at]?.isError === false);
    if (!spoke) yield* this.#parting(ending.map(({ name }) => name));
    for (const { action } of outcomes) if (action) yield { case: "action", action };
    return ending.length > 0 ? null : [...outcomes, ...tooMany(rest)];
  }

  /** What the persona says while its tools run, when it has not said anything itself. */
  async *#meanwhile(uses: readonly ToolUse[]): AsyncGenerator<ReplyStep, void, undefined> {
    const { toolbox, language } = this.#options;
    for (const { name } of uses) {
      const text = toolbox.endsTurn(name) ? null : toolbox.phrase(name, language());
      if (!text || this.#lines.has(text)) continue;
      this.#lines.add(text);
      const phrase = await this.#screened({ text, tone: this.#tone, last: false });
      if (phrase) yield phrase;
      return;
    }
  }

  /** What the persona says as its turn ends with tools, when it has not said anything itself. */
  async *#parting(names: readonly string[]): AsyncGenerator<ReplyStep, void, undefined> {
    const { toolbox, language } = this.#options;
    const phrase = (name: string) => toolbox.phrase(name, language());
    // To be silent is all that skip_turn is for.
    const text = names.includes("end_call")
      ? (phrase("end_call") ?? goodbyes[language()])
      : names.map((name) => (name === "skip_turn" ? null : phrase(name))).find((words) => words !== null);
    if (!text) return;
    const words = await this.#screened({ text, tone: this.#tone, last: true });
    if (words) yield words;
  }

  async #outcome(use: ToolUse): Promise<ToolOutcome> {
    const { toolbox, prepared, language, signal, log } = this.#options;
    const { caller, correlationId } = prepared.request;
    try {
      return await toolbox.run(use, {
        account: caller.account,
        sessionId: prepared.live?.session.id ?? null,
        correlationId,
        language: language(),
        signal,
      });
    } catch (error) {
      log.error({ ...describeError(error), tool: use.name }, "a tool broke");
      return { id: use.id, content: "The tool failed.", isError: true, action: null };
    }
  }

  /** Null when the turn was taken away meanwhile. */
  async #screened(clause: Clause): Promise<ReplyStep | null> {
    const { screen, signal, log } = this.#options;
    const screened = await unlessAborted(screen.clause(clause.text, signal), signal);
    if (!screened) return null;
    const { text, reason } = screened;
    if (reason !== null) log.info({ reason }, "the screen removed words of a reply");
    if (text.trim() === "") return { case: "removed" };
    this.#tone = clause.tone;
    return { case: "clause", clause: { ...clause, text } };
  }
}

/** What the model writes in one go, up to the tools it wants to run. */
class WrittenRound {
  readonly uses: ToolUse[] = [];
  readonly #options: ReplyOptions;
  readonly #messages: readonly ModelMessage[];
  #text = "";
  #carry: unknown;
  #over = false;

  constructor(options: ReplyOptions, messages: readonly ModelMessage[]) {
    this.#options = options;
    this.#messages = messages;
  }

  async *clauses(): AsyncGenerator<Clause, void, undefined> {
    const { prepared, toolbox, signal, language } = this.#options;
    const { model, settings, parameters } = prepared;
    const tools = [...toolbox.definitions];
    const pieces = abortable(
      model.provider.stream({
        model: model.row.id,
        system: systemPrompt(settings, { tools, ...(prepared.live ? { language: language() } : {}) }),
        messages: [...this.#messages],
        tools,
        parameters,
        signal,
      }),
      signal,
    );
    try {
      while (!this.#over) {
        for await (const clause of clausesOf(this.#words(pieces), { emotion: settings.emotion_responsive })) {
          const goesOn = this.uses.length > 0 && !this.uses.some(({ name }) => toolbox.endsTurn(name));
          yield { ...clause, last: clause.last && !goesOn };
        }
      }
    } finally {
      await pieces.return();
    }
  }

  message(): ModelMessage {
    const carry = this.#carry === undefined ? {} : { carry: this.#carry };
    return { role: "assistant", content: this.#text, toolUses: [...this.uses], ...carry };
  }

  /** Up to the next tool use: what was written before it is said before it runs. */
  async *#words(pieces: AsyncGenerator<ModelPiece>): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) {
        this.#over = true;
        return;
      }
      if (value.case === "tool_use") {
        this.uses.push(value.use);
        return;
      }
      if (value.case === "carry") {
        this.#carry = value.carry;
      } else {
        this.#text += value.text;
        yield value.text;
      }
    }
  }
}

/** Answers in place of tools that were called once too often. */
function enough(uses: readonly ToolUse[]): ToolOutcome[] {
  return refused(uses, "No more tools can be called in this reply; answer with what is known.");
}

function tooMany(uses: readonly ToolUse[]): ToolOutcome[] {
  return refused(uses, `Not run: at most ${mostUses} tools can be called at once.`);
}

function refused(uses: readonly ToolUse[], content: string): ToolOutcome[] {
  return uses.map(({ id }) => ({ id, content, isError: true, action: null }));
}
