// What people read and hear of tools, in the languages of a call.

import type { Language } from "../../../contract/tones.ts";

type Words = Readonly<Record<Language, string>>;

/** Names of the built-in tools. */
export const builtinLabels: Readonly<Record<string, Words>> = {
  end_call: {
    en: "End the call",
    es: "Finalizar la llamada",
    fr: "Terminer l’appel",
    de: "Gespräch beenden",
    it: "Terminare la chiamata",
    pt: "Encerrar a chamada",
    hi: "कॉल समाप्त करना",
    ja: "通話を終了",
  },
  skip_turn: {
    en: "Stay quiet",
    es: "Guardar silencio",
    fr: "Rester silencieux",
    de: "Still bleiben",
    it: "Restare in silenzio",
    pt: "Ficar em silêncio",
    hi: "चुप रहना",
    ja: "静かに待つ",
  },
  pause_conversation: {
    en: "Pause the conversation",
    es: "Pausar la conversación",
    fr: "Mettre la conversation en pause",
    de: "Gespräch pausieren",
    it: "Mettere in pausa la conversazione",
    pt: "Pausar a conversa",
    hi: "बातचीत रोकना",
    ja: "会話を一時停止",
  },
  set_language: {
    en: "Change the language",
    es: "Cambiar de idioma",
    fr: "Changer de langue",
    de: "Sprache wechseln",
    it: "Cambiare lingua",
    pt: "Mudar de idioma",
    hi: "भाषा बदलना",
    ja: "言語を変更",
  },
};

/** Said while a tool is waited for. */
export const waitingLine: Words = {
  en: "One moment, please.",
  es: "Un momento, por favor.",
  fr: "Un instant, s’il vous plaît.",
  de: "Einen Moment, bitte.",
  it: "Un momento, per favore.",
  pt: "Um momento, por favor.",
  hi: "एक पल रुकिए।",
  ja: "少々お待ちください。",
};

/** As a model knows them. */
export const languageNames: Words = {
  en: "English",
  es: "Spanish",
  fr: "French",
  de: "German",
  it: "Italian",
  pt: "Portuguese",
  hi: "Hindi",
  ja: "Japanese",
};

const longestLabel = 64;

/** A tool's name in words: `look_up_order` is "Look up order". */
export function humanName(name: string): string {
  const words = name.replace(/[_\s]+/g, " ").trim();
  const capital = words.slice(0, 1).toUpperCase() + words.slice(1);
  return capital.slice(0, longestLabel).toWellFormed();
}
