import { expect, test } from "vitest";
import { languages, type Language } from "../../../contract/tones.ts";
import { collect } from "../../testing/collect.ts";
import { clausesOf } from "../speech.ts";
import { languageScripts } from "./rehearsal-languages.ts";
import { rehearsalLines } from "./rehearsal-script.ts";

type Foreign = Exclude<Language, "en">;
const foreign = languages.filter((language): language is Foreign => language !== "en");

/** One message a topic: who, count, story, joke, help, howAreYou, thanks, goodbye, greeting. */
const messages: Record<Foreign, string[]> = {
  es: [
    "¿Quién eres?",
    "Cuenta hasta 3",
    "Cuéntame una historia",
    "Un chiste",
    "Ayuda",
    "¿Qué tal?",
    "Gracias",
    "Adiós",
    "Hola",
  ],
  fr: [
    "Qui êtes-vous ?",
    "Comptez jusqu'à 3",
    "Une histoire !",
    "Une blague",
    "Aide-moi",
    "Ça va ?",
    "Merci",
    "Au revoir",
    "Bonjour",
  ],
  de: [
    "Wer bist du?",
    "Zähle bis 3",
    "Eine Geschichte",
    "Ein Witz",
    "Hilfe",
    "Wie geht es dir?",
    "Danke",
    "Tschüss",
    "Guten Tag",
  ],
  it: [
    "Chi sei?",
    "Conta fino a 3",
    "Una storia",
    "Una barzelletta",
    "Aiuto",
    "Come stai?",
    "Grazie",
    "Arrivederci",
    "Ciao",
  ],
  pt: [
    "Quem é você?",
    "Conte até 3",
    "Uma história",
    "Uma piada",
    "Ajuda",
    "Tudo bem?",
    "Obrigada",
    "Tchau",
    "Olá",
  ],
  hi: ["आप कौन हैं?", "3 तक गिनो", "कहानी सुनाओ", "चुटकुला", "मदद", "आप कैसे हैं?", "धन्यवाद", "अलविदा", "नमस्ते"],
  ja: [
    "あなたは だれですか",
    "３まで かぞえて",
    "おはなしを して",
    "じょうだん",
    "なにができますか",
    "げんきですか",
    "ありがとう",
    "さようなら",
    "こんにちは",
  ],
};
const topics = [
  "who",
  "count",
  "story",
  "joke",
  "help",
  "howAreYou",
  "thanks",
  "goodbye",
  "greeting",
] as const;

test.each(foreign)("in %s each topic is recognised and answered", (language) => {
  const script = languageScripts[language];
  for (const [index, said] of messages[language].entries()) {
    const topic = topics[index] ?? "who";
    const reply = rehearsalLines(said, 2, language);
    if (topic === "count") expect(reply).toMatch(/1\D+2\D+3\D*$/);
    else expect(script.replies[topic], said).toContain(reply);
  }
  expect(script.replies.question).toContain(rehearsalLines("Xyz?", 2, language));
  expect(script.otherwise).toContain(rehearsalLines("Xyz", 2, language));
});

test.each(foreign)("in %s it says what it is at first contact, once", (language) => {
  const { honest, introduction } = languageScripts[language];
  for (const said of messages[language]) {
    const reply = rehearsalLines(said, 1, language);
    expect(reply.split(honest)).toHaveLength(2);
    if (said !== messages[language][0]) expect(reply.endsWith(introduction)).toBe(true);
  }
});

test.each(foreign)(
  "every reply in %s makes clauses, none of them with a tag or a character nobody can read",
  async (language) => {
    const { replies, otherwise, introduction, counted } = languageScripts[language];
    for (const line of [...Object.values(replies).flat(), ...otherwise, introduction, counted("1")]) {
      const clauses = await collect(clausesOf([line], { emotion: true }));
      const text = clauses.map((clause) => clause.text).join(" ");
      expect(clauses.every((clause) => clause.text.length < 240)).toBe(true);
      expect(text).not.toMatch(/[[\]]/);
      if (language === "ja") expect(text).not.toMatch(/\p{Script=Han}/u);
      if (language === "hi") expect(text).toMatch(/\p{Script=Devanagari}/u);
    }
  },
);

test("words are read back in any language", () => {
  expect(rehearsalLines("di: uno dos", 1, "es")).toBe("[neutral] uno dos");
  expect(rehearsalLines("sag: eins zwei", 1, "de")).toBe("[neutral] eins zwei");
});

test("it never counts beyond thirty", () => {
  expect(rehearsalLines("Zähle bis 100000", 2, "de")).toMatch(/29, 30\./);
});
