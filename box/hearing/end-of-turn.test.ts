import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { languages, type Language } from "../../contract/tones.ts";
import { endOfTurn, tokens, type EndpointReason } from "./end-of-turn.ts";

const cases: Record<Language, [string, EndpointReason][]> = {
  en: [
    ["", "no_words"],
    ["i was thinking um", "filler"],
    ["I'd like to book a table for", "unfinished"],
    ["i went home and", "unfinished"],
    ["can you tell me", "unfinished"],
    ["if you have time", "clause"],
    ["if you have time could you call me", "statement"],
    ["my number is zero four one two", "numbers"],
    ["my number is 0412", "numbers"],
    ["call zero four one two five five five one nine six", "statement"],
    ["a coffee", "fragment"],
    ["i left my keys on the train", "statement"],
    ["what time does the museum open", "question"],
    ["where are you from", "question"],
    ["what can you do", "question"],
    ["no thanks", "answer"],
    ["Yes.", "answer"],
    ["the blue one please", "closing"],
    ["a coffee?", "question"],
    ["I went there,", "unfinished"],
  ],
  de: [
    ["ich war beim Arzt und", "unfinished"],
    ["ich bleibe zu Hause weil", "unfinished"],
    ["ähm", "filler"],
    ["wann macht das Museum auf", "question"],
    ["nein danke", "answer"],
    ["wo ist der Bahnhof", "question"],
  ],
  fr: [
    ["je pense que", "unfinished"],
    ["je voudrais une table pour", "unfinished"],
    ["il faut qu'on", "unfinished"],
    ["non merci", "answer"],
    ["à quelle heure ouvre le musée", "statement"],
    ["pourquoi le ciel est bleu", "question"],
    ["un café s'il vous plaît", "closing"],
  ],
  es: [
    ["fui al médico y", "unfinished"],
    ["si llueve mañana", "clause"],
    ["no lo sé", "closing"],
    ["sí gracias", "answer"],
    ["dónde está la estación", "question"],
  ],
  it: [
    ["sono andato dal medico e", "unfinished"],
    ["se domani piove", "clause"],
    ["va bene", "answer"],
    ["dove si trova la stazione", "question"],
  ],
  pt: [
    ["fui ao médico e", "unfinished"],
    ["eu queria uma mesa para", "unfinished"],
    ["bom dia", "answer"],
    ["onde fica a estação", "question"],
  ],
  hi: [
    ["मैं", "unfinished"],
    ["मुझे लगता है कि", "unfinished"],
    ["मुझे मदद चाहिए", "closing"],
    ["हम कल घर पर रहेंगे", "closing"],
    ["जी हाँ", "answer"],
  ],
  ja: [
    ["予約したいんですけど", "unfinished"],
    ["昨日は", "unfinished"],
    ["何時に開きますか", "closing"],
    ["東京です", "closing"],
    ["えっと", "filler"],
    ["はい", "answer"],
    ["何 時 に 開き ます か", "closing"],
  ],
};

describe.each(languages)("%s", (language) => {
  test.each(cases[language])("“%s” is %s", (text, reason) => {
    expect(endOfTurn(text, language).reason).toBe(reason);
  });
});

test("the likelier the end, the shorter the wait", () => {
  const seen = [
    ...new Map(cases.en.map(([text]) => [endOfTurn(text, "en").reason, endOfTurn(text, "en")])).values(),
  ];
  const spoken = seen.filter(({ reason }) => reason !== "no_words").sort((a, b) => a.eot - b.eot);
  expect(spoken.length).toBeGreaterThan(8);
  expect(spoken.map(({ waitMs }) => waitMs)).toEqual(
    spoken.map(({ waitMs }) => waitMs).sort((a, b) => b - a),
  );
});

test("any text in any language gets a probability and a bearable wait", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.constantFrom(...languages),
      (text, language) => {
        const { eot, waitMs } = endOfTurn(text, language);
        expect(eot).toBeGreaterThanOrEqual(0);
        expect(eot).toBeLessThanOrEqual(1);
        expect(waitMs).toBeGreaterThanOrEqual(250);
        expect(waitMs).toBeLessThanOrEqual(1600);
      },
    ),
  );
});

test("words are compared without case, punctuation or the apostrophe's shape", () => {
  expect(tokens("  “I’d like—” TEA, please! ")).toEqual(["i'd", "like", "tea", "please"]);
});
