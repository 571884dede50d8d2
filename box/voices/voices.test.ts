import { expect, test } from "vitest";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import { defaultSettings, type Settings } from "../../contract/settings.ts";
import { FakeVoice } from "../testing/fake-voice.ts";
import { Voices } from "./voices.ts";

const settings = defaultSettings(modelCatalogue({ anthropic: false, residencyOptIn: [] }));
const of = (engine: FakeVoice) => new Voices([engine]).known("");
const voices = of(new FakeVoice());

test("the turn's wish comes before the session's voice, that before the settings, those before the avatar", () => {
  const saved = { ...settings, voice_id_local: "en-us+m1" };
  const choose = (wish: string | undefined, session: string | undefined, of: Settings = saved) =>
    voices.choose({ voice: wish }, { voice: session }, of, "theo").voice;
  expect(choose("en-us+f1", "en-us+f2")).toBe("en-us+f1");
  expect(choose(undefined, "en-us+f2")).toBe("en-us+f2");
  expect(choose(undefined, undefined)).toBe("en-us+m1");
  expect(choose(undefined, undefined, settings)).toBe("en-us+m3");
});

test("in another language the avatar keeps its character, and so does a picked voice", () => {
  expect(voices.choose({}, null, settings, "theo", "es").voice).toBe("es+m3");
  expect(voices.choose({}, { voice: "en-us+f2" }, settings, "theo", "es").voice).toBe("es+f2");
  expect(voices.choose({}, null, { ...settings, voice_id_local: "en-us+m1" }, null, "ja").voice).toBe(
    "ja+m1",
  );
});

test("a voice that the turn itself names stays as it is, whatever the language", () => {
  expect(voices.choose({ voice: "en-us+f1" }, { voice: "en-us+f2" }, settings, null, "es").voice).toBe(
    "en-us+f1",
  );
});

test("a language that was asked for turns a picked voice, English too", () => {
  class Polyglot extends FakeVoice {
    override has = () => true;
    override inLanguage = (): string => "turned";
  }
  const polyglot = of(new Polyglot());
  expect(polyglot.choose({}, { voice: "de+f3" }, settings, null).voice).toBe("de+f3");
  expect(polyglot.choose({}, { voice: "de+f3" }, settings, null, "en").voice).toBe("turned");
  expect(polyglot.choose({}, { voice: "de+f3" }, settings, null, "fr").voice).toBe("turned");
});

test("an engine whose voices speak every language keeps the one that was picked", () => {
  class Bound extends FakeVoice {
    override inLanguage = undefined as never;
    override defaultVoice = () => "en-us+one";
  }
  const bound = of(new Bound());
  expect(bound.choose({}, { voice: "en-us+f2" }, settings, null, "es").voice).toBe("en-us+f2");
  expect(bound.languageOf({ engine: new Bound(), voice: "en-us+f2" })).toBeNull();
});

test("what cannot be spoken with is refused", () => {
  const choose = (wish: object, engine = new FakeVoice()) =>
    of(engine).choose(wish, null, settings, null, "es");
  expect(() => choose({ voice: "de+f3" })).toThrow("no voice of the engine");
  expect(() => choose({ voiceProvider: "nobody" })).toThrow("no voice engine");
  expect(() => choose({}, Object.assign(new FakeVoice(), { available: false }))).toThrow("not installed");
  expect(voices.choose({}, null, { ...settings, tts_provider: "cartesia" }, null).notice).toContain(
    "Cartesia",
  );
});
