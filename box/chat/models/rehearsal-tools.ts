// How the rehearsal persona calls tools, and what it says of their results.

import type { Language } from "../../../contract/tones.ts";
import type { ModelTool } from "./model.ts";

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Where a message names a tool: by its name, or by its words. */
function mention(tool: ModelTool, said: string): RegExpExecArray | null {
  const words = tool.name.split("_").filter((word) => word !== "");
  return new RegExp(`(?<![\\p{L}\\p{N}])${words.map(escaped).join("[\\s_-]+")}(?![\\p{L}\\p{N}])`, "iu").exec(
    said,
  );
}

/** The tools that a message names, in the order they were given, with what it says behind the name. */
export function mentionedTools(
  tools: readonly ModelTool[],
  said: string,
): { tool: ModelTool; rest: string }[] {
  return tools.flatMap((tool) => {
    const found = mention(tool, said);
    if (!found) return [];
    const rest = said
      .slice(found.index + found[0].length)
      .replace(/^[\s:,]*(?:(?:with|for|of|to|about)\s+)?/i, "");
    return [{ tool, rest: rest.replace(/[\s.!?]+$/, "") }];
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const longestText = 200;

/** A value that a schema asks for, made of the words of the message as well as that goes without understanding them. */
function valueFor(schema: unknown, words: string): unknown {
  if (!isRecord(schema)) return words.slice(0, longestText);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) {
    const lower = words.toLowerCase();
    return schema.enum.find((one) => lower.includes(String(one).toLowerCase())) ?? schema.enum[0];
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "number":
    case "integer": {
      const found = Number(/-?\d+(?:\.\d+)?/.exec(words)?.[0] ?? schema.minimum ?? 1);
      return type === "integer" ? Math.trunc(found) : found;
    }
    case "boolean":
      return !/\b(?:no|not|off|false)\b/i.test(words);
    case "null":
      return null;
    case "array":
      return [valueFor(schema.items, words)];
    case "object":
      return argumentsFor(schema, words);
    default:
      return words.slice(0, longestText);
  }
}

/** Arguments for a tool: what its schema requires, or its only parameter. */
export function argumentsFor(schema: Record<string, unknown>, words: string): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const wanted = required.length === 0 && names.length === 1 ? names : required;
  return Object.fromEntries(wanted.map((name) => [name, valueFor(properties[name], words)]));
}

const longestResult = 240;
const mostEntries = 4;

/** A result in words that can be spoken: a list of its first few values. */
export function spokenResult(content: string): string {
  let value: unknown = content;
  try {
    value = JSON.parse(content);
  } catch {
    // It was words already.
  }
  const spoken = inWords(value)
    .replace(/[[\]<>{}]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return Array.from(spoken).slice(0, longestResult).join("");
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(inWords).join(", ");
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .slice(0, mostEntries)
    .map(([name, inner]) => `${name.replace(/[_-]+/g, " ")} ${inWords(inner)}`)
    .join(", ");
}

interface ToolLines {
  result: (words: string) => string;
  nothing: string;
  failed: string;
  /** Said before the conversation pauses. */
  waiting: string;
  /** The first words in this language, once the call has turned to it. */
  switched: string;
}

export const toolLines: Readonly<Record<Language, ToolLines>> = {
  en: {
    result: (words) => `[neutral] Here is what the tool answered: ${words}.`,
    nothing: "[neutral] That is done.",
    failed: "[concerned] That did not work, I am sorry. The tool gave me no answer.",
    waiting: "[warm] Of course, take your time. I will wait for you.",
    switched: "[happy] Gladly, we go on in English. What would you like to hear?",
  },
  es: {
    result: (words) => `[neutral] La herramienta ha respondido: ${words}.`,
    nothing: "[neutral] Ya está hecho.",
    failed: "[concerned] Lo siento, no ha funcionado. La herramienta no me ha respondido.",
    waiting: "[warm] Claro, tómate tu tiempo. Te espero.",
    switched: "[happy] Con gusto, seguimos en español. ¿Qué te gustaría oír?",
  },
  fr: {
    result: (words) => `[neutral] L'outil a répondu : ${words}.`,
    nothing: "[neutral] C'est fait.",
    failed: "[concerned] Désolé, cela n'a pas marché. L'outil ne m'a pas répondu.",
    waiting: "[warm] Bien sûr, prenez votre temps. J'attends.",
    switched: "[happy] Volontiers, continuons en français. Que voulez-vous entendre ?",
  },
  de: {
    result: (words) => `[neutral] Das Werkzeug hat geantwortet: ${words}.`,
    nothing: "[neutral] Das ist erledigt.",
    failed: "[concerned] Das hat leider nicht geklappt. Das Werkzeug hat mir nicht geantwortet.",
    waiting: "[warm] Natürlich, lassen Sie sich Zeit. Ich warte.",
    switched: "[happy] Gern, wir sprechen auf Deutsch weiter. Was möchten Sie hören?",
  },
  it: {
    result: (words) => `[neutral] Lo strumento ha risposto: ${words}.`,
    nothing: "[neutral] Fatto.",
    failed: "[concerned] Mi dispiace, non ha funzionato. Lo strumento non mi ha risposto.",
    waiting: "[warm] Certo, prenditi il tuo tempo. Ti aspetto.",
    switched: "[happy] Volentieri, continuiamo in italiano. Che cosa vuoi sentire?",
  },
  pt: {
    result: (words) => `[neutral] A ferramenta respondeu: ${words}.`,
    nothing: "[neutral] Está feito.",
    failed: "[concerned] Sinto muito, não funcionou. A ferramenta não me respondeu.",
    waiting: "[warm] Claro, leve o tempo que precisar. Eu espero.",
    switched: "[happy] Com prazer, continuamos em português. O que você gostaria de ouvir?",
  },
  hi: {
    result: (words) => `[neutral] जवाब मिला है: ${words}।`,
    nothing: "[neutral] काम हो गया।",
    failed: "[concerned] माफ़ कीजिए, यह नहीं हो पाया। कोई जवाब नहीं मिला।",
    waiting: "[warm] ज़रूर, आराम से सोचिए। मैं यहीं हूँ।",
    switched: "[happy] ख़ुशी से, अब हम हिंदी में बात करते हैं। आप क्या सुनना चाहेंगे?",
  },
  ja: {
    result: (words) => `[neutral] こたえが きました。${words}。`,
    nothing: "[neutral] できました。",
    failed: "[concerned] すみません、うまく いきませんでした。こたえが ありませんでした。",
    waiting: "[warm] はい、ごゆっくり どうぞ。おまちして います。",
    switched: "[happy] よろこんで。ここからは にほんごで はなします。なにを ききたいですか。",
  },
};
