// The tools every persona has: they change the conversation, and ask nobody.

import { languageSchema, languages, type Language } from "../../../contract/tones.ts";
import type { ModelTool } from "../models/model.ts";
import type { PersonaAction } from "./toolbox.ts";
import { builtinLabels, languageNames } from "./words.ts";

export interface BuiltinTool {
  definition: ModelTool;
  /** Only where there is a call to do it to. */
  liveOnly: boolean;
  /** The turn has no further words after it. */
  endsTurn: boolean;
  /** What it does, and what the model reads of it. A string: why it cannot be done. */
  act(
    given: Record<string, unknown>,
    label: string,
  ): { action: PersonaAction; content: string } | { problem: string };
}

const nothing = { type: "object", properties: {}, additionalProperties: false };

function callable(
  name: string,
  description: string,
  parameters: Record<string, unknown> = nothing,
): ModelTool {
  return { name, description, parameters };
}

const spokenLanguages = languages.map((language) => `${language} (${languageNames[language]})`).join(", ");

const tools: readonly BuiltinTool[] = [
  {
    definition: callable(
      "end_call",
      "Hangs up. Use it only when the person says goodbye, asks you to end the call, or plainly wants to leave; never " +
        "because a topic is finished. Say your goodbye in the same reply, before you use it: nothing can be said after it.",
    ),
    liveOnly: true,
    endsTurn: true,
    act: (_given, label) => ({
      action: { name: "end_call", label },
      content: "The call ends once your words have been spoken.",
    }),
  },
  {
    definition: callable(
      "skip_turn",
      "Stays quiet for this turn. Use it, without writing any words, when what you were sent asks for no answer: it was " +
        "said to somebody else, was noise or a broken-off word, or the person asked for a moment to think.",
    ),
    liveOnly: false,
    endsTurn: true,
    act: (_given, label) => ({
      action: { name: "skip_turn", label },
      content: "You stay quiet until you are spoken to again.",
    }),
  },
  {
    definition: callable(
      "pause_conversation",
      "Stops listening until the person resumes the conversation themselves. Use it when they ask you to wait, to pause, " +
        "or to stop listening for a while. Say in a few words that you will wait before you use it; for a single turn " +
        "without an answer use skip_turn instead.",
    ),
    liveOnly: true,
    endsTurn: true,
    act: (_given, label) => ({
      action: { name: "pause_conversation", label, paused: true },
      content: "The conversation is paused until the person resumes it.",
    }),
  },
  {
    definition: callable(
      "set_language",
      "Changes the language of the call: what you hear is understood in it, and you answer in it from then on. Use it " +
        "when the person asks for another language or goes on in one; not for single foreign words.",
      {
        type: "object",
        properties: {
          language: {
            type: "string",
            enum: [...languages],
            description: `The new language: ${spokenLanguages}.`,
          },
        },
        required: ["language"],
        additionalProperties: false,
      },
    ),
    liveOnly: true,
    endsTurn: false,
    act: (given, label) => {
      const asked = languageSchema.safeParse(given.language);
      if (!asked.success) return { problem: `The language must be one of ${spokenLanguages}.` };
      return {
        action: { name: "set_language", label, language: asked.data },
        content: `The call goes on in ${languageNames[asked.data]}; answer in it.`,
      };
    },
  },
];

const byName: ReadonlyMap<string, BuiltinTool> = new Map(tools.map((tool) => [tool.definition.name, tool]));

/** The built-in tools of a call, or of a conversation in writing. */
export function builtinTools(live: boolean): readonly BuiltinTool[] {
  return live ? tools : tools.filter(({ liveOnly }) => !liveOnly);
}

export function isBuiltin(name: string): boolean {
  return byName.has(name);
}

/** Null for a tool that is not built in. */
export function builtinLabel(name: string, language: Language): string | null {
  return Object.hasOwn(builtinLabels, name) ? (builtinLabels[name]?.[language] ?? null) : null;
}
