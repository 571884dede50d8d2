// What the rehearsal persona says to what.

import type { Language } from "../../../contract/tones.ts";
import { languageScripts, scriptedReply } from "./rehearsal-languages.ts";

type Rule = [pattern: RegExp, reply: (match: RegExpExecArray, pick: number) => string];

const oneOf = (lines: readonly string[], pick: number): string => lines[pick % lines.length] ?? "";

const longestCount = 30;
const numberWords: Record<string, number> = {
  three: 3,
  five: 5,
  ten: 10,
  twelve: 12,
  twenty: 20,
  thirty: 30,
};

/** The number that is to be counted to in other languages, where only digits are read. */
function lastNumber(said: string): number {
  const asked = Number(/\d{1,6}/.exec(said.normalize("NFKC"))?.[0] ?? 5);
  return Math.min(longestCount, Math.max(1, asked));
}

function count(word: string): string {
  const asked = numberWords[word.toLowerCase()] ?? Number(word);
  const last = Math.min(longestCount, Number.isFinite(asked) && asked >= 1 ? Math.floor(asked) : 5);
  const numbers = Array.from({ length: last }, (_, index) => String(index + 1));
  const stop = asked > longestCount ? ` I stop at ${longestCount}, to spare us both.` : " There you are.";
  return `[happy] Gladly. ${numbers.join(", ")}.${stop}`;
}

const stories = [
  "[warm] Once, in a town by the sea, there was a lamp keeper who spoke to the fog. Every night she told it the names of the " +
    "ships. [curious] One morning the fog answered, and it had remembered every single one. [happy] Nobody was lost that year.",
  "[curious] Here is a short one. A clockmaker built a clock that could only run backwards. People laughed, until they " +
    "noticed how young he looked. [happy] He always said he simply had more time than they did.",
  "[serious] There was a mountain nobody had climbed. A child asked it politely, and it bowed. [warm] From then on, the path " +
    "was open to anyone who asked.",
];

const jokes = [
  "[happy] Of course. I told my mirror a joke this morning. It cracked up, so I had to buy a new one.",
  "[happy] Why did the microphone break up with the speaker? It felt that it was always doing the listening.",
  "[happy] I would tell you the one about lag, but you would hear it later than everyone else.",
];

const facts = [
  "[curious] Did you know that lips close for only three sounds in English? They are p, b and m. [happy] People notice at once " +
    "when a face gets those wrong, so watch mine closely.",
  "[curious] Here is one. People notice sound that comes too early far sooner than sound that comes too late. In nature, " +
    "light always arrives first.",
  "[curious] A blink takes about a third of a second, and we hardly ever see our own. [warm] I blink too, every few seconds.",
];

/** Words to be read back as they are, asked for in any of the call languages that have a short word for it. */
const verbatim =
  /^\s*(?:please\s+)?(?:say|repeat|read|read back|di|repite|dis|répète|répétez|sag|sage|wiederhole|ripeti|diga|repita|कहो|いって)\s*[:：]\s*([\s\S]+)$/iu;

/** Words that the person wants to have read back, or null. */
export function wordsToReadBack(said: string): string | null {
  return verbatim.exec(said)?.[1] ?? null;
}

const rules: Rule[] = [
  [
    /\b(?:are you (?:an? )?(?:ai|bot|robot|human|real|person|language model|llm|claude|gpt)|what are you|which model|rehearsal)\b/i,
    (_, pick) =>
      oneOf(
        [
          "[serious] To be honest with you, I am a rehearsal persona. My lines are scripted, and no language model is running " +
            "behind this face. [warm] The voice, the lips and the timing are real, though.",
          "[serious] I am a scripted stand-in, running without a language model. [warm] Once one is configured, the same face " +
            "and voice will speak its words instead of mine.",
        ],
        pick,
      ),
  ],
  [
    /\b(?:your name|who are you|introduce yourself)\b/i,
    () =>
      "[warm] I have no name of my own, I am the rehearsal persona. I run without a language model, from a script. " +
      "You may call me whatever the picture suggests.",
  ],
  [
    /\bmy name is ([\p{L}'-]{1,40})/iu,
    ([, name]) =>
      `[warm] Nice to meet you, ${name ?? "friend"}. That is a good name to say out loud. What would you like to try?`,
  ],
  [
    /\bcount(?:ing)?\b(?:\D{0,20}?\bto\b)?\s*(\d{1,6}|three|five|ten|twelve|twenty|thirty)?/i,
    ([, word]) => count(word ?? "five"),
  ],
  [/\b(?:story|tale)\b/i, (_, pick) => oneOf(stories, pick)],
  [/\b(?:joke|funny|make me laugh)\b/i, (_, pick) => oneOf(jokes, pick)],
  [/\b(?:fact|something interesting|tell me something)\b/i, (_, pick) => oneOf(facts, pick)],
  [
    /\b(?:tongue.?twister|difficult words|lip.?sync|mouth)\b/i,
    () =>
      "[excited] Watch my lips. Peter Piper picked a peck of pickled peppers. Big brown bears bring Bob blueberry muffins. " +
      "[happy] How was that?",
  ],
  [
    /\b(?:what can you do|help|what do you know)\b/i,
    () =>
      "[warm] Quite a bit, for a script. I can greet you, count, tell a story or a joke, and read back whatever you write after " +
      "the word say and a colon. [curious] Ask me for a tongue twister, and watch my lips.",
  ],
  [
    /\bhow are you\b/i,
    (_, pick) =>
      oneOf(
        [
          "[happy] Very well, thank you. All my frames are on time today. How are you?",
          "[warm] I am fine, thanks for asking. A little scripted, as always. And you?",
        ],
        pick,
      ),
  ],
  [
    /\b(?:sad|tired|lonely|awful|bad day|depressed|upset)\b/i,
    () =>
      "[concerned] I am sorry to hear that. I am only a scripted persona, so I cannot help much, but I can keep you company for a " +
      "moment. [warm] Would a short story do you good?",
  ],
  [
    /\b(?:thank you|thanks|cheers)\b/i,
    (_, pick) => oneOf(["[happy] You are very welcome.", "[warm] My pleasure, any time."], pick),
  ],
  [
    /\b(?:bye|goodbye|good night|see you)\b/i,
    () => "[warm] Goodbye, it was good to see you. Come back whenever you like.",
  ],
  [
    /^\s*(?:hi|hello|hey|hola|bonjour|hallo|ciao|good (?:morning|afternoon|evening))\b/i,
    (_, pick) =>
      oneOf(
        [
          "[happy] Hello there! It is good to see you. What shall we talk about?",
          "[warm] Hi, and welcome. What would you like to hear?",
          "[happy] Hey, good to see you. Shall I tell you a story?",
        ],
        pick,
      ),
  ],
  [
    /\b(?:weather|news|today|time is it|date)\b/i,
    () =>
      "[curious] I would have to look outside for that, and a scripted persona has no window. A language model with tools could " +
      "tell you.",
  ],
  [
    /\?\s*$/,
    (_, pick) =>
      oneOf(
        [
          "[curious] That is a fair question. My script has no answer to it, and I would rather say so than make one up. " +
            "Ask me for a story, a joke, or to count to ten.",
          "[curious] Hmm, good question. I only rehearse, so I cannot really think it through. A language model in my place " +
            "could.",
          "[serious] I do not know, honestly. I am speaking from a script. [warm] But I can read anything aloud for you.",
        ],
        pick,
      ),
  ],
];

const otherwise = [
  "[warm] I see. I am only rehearsing, so I take your word for it. Tell me more, or ask me for a story.",
  "[curious] Interesting. If you write say, and a colon, I will read back whatever comes after it.",
  "[neutral] Noted. I follow a script, but I follow it with care. What would you like to try next?",
];

const introduction = "I should tell you that I am a rehearsal persona, running without a language model.";

/** Small and stable: the same words on the same turn always get the same reply. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return value;
}

const isHonest = /rehearsal persona|language model is running|without a language model/i;

/** The reply to `said` on the given turn, counted from 1. On the first one the persona says what it is. */
export function rehearsalLines(said: string, turn: number, language: Language = "en"): string {
  const words = wordsToReadBack(said);
  if (words !== null) return `[neutral] ${words}`;
  const pick = (hash(said.trim().toLowerCase()) + turn) >>> 0;
  if (language !== "en") {
    const script = languageScripts[language];
    const text = scriptedReply(language, said, { pick, last: lastNumber(said) });
    return turn > 1 || script.honest.test(text) ? text : `${text} ${script.introduction}`;
  }
  for (const [pattern, reply] of rules) {
    const match = pattern.exec(said);
    if (!match) continue;
    const text = reply(match, pick);
    return turn > 1 || isHonest.test(text) ? text : `${text} ${introduction}`;
  }
  return oneOf(otherwise, pick);
}
