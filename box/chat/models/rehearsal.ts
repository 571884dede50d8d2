// A scripted persona for rehearsing without a language model. It never pretends to be one.

import { setTimeout as sleep } from "node:timers/promises";
import { builtinTools } from "../../../contract/tools.ts";
import { languages, type Language } from "../../../contract/tones.ts";
import { languageOfPrompt } from "../prompt.ts";
import type { ModelMessage, ModelPiece, ModelProvider, ModelRequest, ToolUse } from "./model.ts";
import { rehearsalLines, wordsToReadBack } from "./rehearsal-script.ts";
import { argumentsFor, mentionedTools, spokenResult, toolLines } from "./rehearsal-tools.ts";
import { askedLanguage, languageOf, wishOf } from "./rehearsal-wishes.ts";

/** As a model writes: a few characters at a time. */
const pieceChars = 6;

export interface RehearsalOptions {
  /** Pause between two pieces. */
  pieceMs?: number;
}

interface Rehearsed {
  words: string;
  calls: Pick<ToolUse, "name" | "arguments">[];
}

/** What a goodbye is answered to, however it was put. */
const farewells: Record<Language, string> = {
  en: "goodbye",
  es: "adiós",
  fr: "au revoir",
  de: "auf wiedersehen",
  it: "arrivederci",
  pt: "adeus",
  hi: "अलविदा",
  ja: "さようなら",
};

const onlyWords = (words: string): Rehearsed => ({ words, calls: [] });
const isLanguage = (word: unknown): word is Language => languages.some((one) => one === word);

/** What the persona does when the person has spoken. */
function answer(request: ModelRequest, said: string, turn: number): Rehearsed {
  const { system, tools } = request;
  const language = languageOfPrompt(system) ?? "en";
  const offered = (name: string) => tools.some((tool) => tool.name === name);
  const call = (name: string, words = "", given = {}): Rehearsed => ({
    words,
    calls: [{ name, arguments: given }],
  });
  const lines = rehearsalLines(said, turn, language);
  // They are no wishes, whatever they say.
  if (wordsToReadBack(said) !== null) return onlyWords(lines);

  const custom = tools.filter(({ name }) => !builtinTools.includes(name));
  const named = mentionedTools(custom, said);
  if (named.length > 0) {
    return {
      words: "",
      calls: named.map(({ tool, rest }) => ({
        name: tool.name,
        arguments: argumentsFor(tool.parameters, rest === "" ? said : rest),
      })),
    };
  }

  const wish = wishOf(said);
  const farewell = rehearsalLines(farewells[language], turn, language);
  if (wish && offered(wish)) {
    const words = { skip_turn: "", pause_conversation: toolLines[language].waiting, end_call: farewell };
    return call(wish, words[wish]);
  }

  const asked = askedLanguage(said);
  const next = asked ?? languageOf(said) ?? language;
  if (next === language) return onlyWords(lines);
  if (offered("set_language")) return call("set_language", "", { language: next });
  return onlyWords(asked ? toolLines[next].switched : rehearsalLines(said, turn, next));
}

/** What it says once its tools have brought something. */
function report(request: ModelRequest, said: string, turn: number): Rehearsed {
  const rounds = request.messages.slice(request.messages.findLastIndex(({ role }) => role === "user") + 1);
  const uses = rounds.flatMap((message) => (message.role === "assistant" ? (message.toolUses ?? []) : []));
  const results = rounds.flatMap((message) => (message.role === "tool" ? message.results : []));
  const resultOf = (use: ToolUse) => results.find(({ id }) => id === use.id);

  const language = languageOfPrompt(request.system) ?? "en";
  const turned = uses.find(({ name }) => name === "set_language");
  if (turned) {
    const next = turned.arguments.language;
    if (resultOf(turned)?.isError !== false || !isLanguage(next))
      return onlyWords(toolLines[language].failed);
    return onlyWords(askedLanguage(said) ? toolLines[next].switched : rehearsalLines(said, turn, next));
  }
  const lines = uses
    .filter(({ name }) => !builtinTools.includes(name))
    .map((use) => {
      const result = resultOf(use);
      if (!result || result.isError) return toolLines[language].failed;
      const words = spokenResult(result.content).replace(/[.。।]+$/, "");
      return words === "" ? toolLines[language].nothing : toolLines[language].result(words);
    });
  return onlyWords(lines.join(" "));
}

/** The newest of what the person said: words that were never answered are joined to it, each on its own line. */
function newest(content: string): string {
  if (wordsToReadBack(content) !== null) return content;
  return content.trim().split("\n").at(-1) ?? "";
}

const isUser = (message: ModelMessage) => message.role === "user";

export class RehearsalModel implements ModelProvider {
  readonly id = "builtin";
  readonly #pieceMs: number;

  constructor({ pieceMs = 4 }: RehearsalOptions = {}) {
    this.#pieceMs = pieceMs;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPiece, void, undefined> {
    const { messages, signal } = request;
    const turn = messages.filter(isUser).length;
    const last = messages.findLast(isUser);
    const said = last?.role === "user" ? newest(last.content) : "";
    const isRound = messages.at(-1)?.role === "tool";
    const { words, calls } = isRound ? report(request, said, turn) : answer(request, said, turn);
    for (let at = 0; at < words.length && !signal.aborted; at += pieceChars) {
      yield { case: "text", text: words.slice(at, at + pieceChars) };
      if (this.#pieceMs > 0) await sleep(this.#pieceMs, undefined, { signal }).catch(() => undefined);
    }
    for (const [index, { name, arguments: given }] of calls.entries()) {
      if (signal.aborted) return;
      yield { case: "tool_use", use: { id: `rehearsal_${turn}_${index}`, name, arguments: given } };
    }
  }
}
