// What a person plainly asks the rehearsal persona to do, read off their words.

import { languages, type Language } from "../../../contract/tones.ts";

const goodbye: Record<Language, RegExp> = {
  en: /\b(?:bye|goodbye|good night|see you (?:later|soon|tomorrow)|hang up|end (?:the|this|our) call)\b/i,
  es: /\b(?:adi[oó]s|hasta (?:luego|pronto|mañana)|cuelga)\b/i,
  fr: /\b(?:au revoir|bonne nuit|raccroche[rz]?)\b|à bientôt/i,
  de: /\b(?:tsch[üu]ss|auf wieder(?:sehen|hören)|bis (?:bald|später|morgen)|gute nacht|leg(?:en sie)? auf)\b/i,
  it: /\b(?:arrivederci|addio|a presto|buonanotte|riattacca)\b/i,
  pt: /\b(?:adeus|tchau|até (?:logo|breve|amanhã)|deslig(?:a|ue))\b/i,
  hi: /अलविदा|फिर मिलेंगे|शुभ रात्रि|(?:फ़ोन|फोन) रख/,
  ja: /さよう?なら|じゃあね|またね|バイバイ|おやすみ|(?:きって|切って)(?:ください)?[。!！]?$/,
};

const pause: Record<Language, RegExp> = {
  en: /\b(?:let me think|hold on|pause|(?:wait|give me) a (?:moment|minute|second))\b/i,
  es: /\b(?:déjame pensar|espera un|haz una pausa|pausa)\b/i,
  fr: /\b(?:laisse[zr]?-moi réfléchir|attends un|attendez un|pause)\b/i,
  de: /\b(?:lass(?:en sie)? mich (?:kurz )?(?:nach|über)?denken|warte[nt]? (?:sie )?(?:kurz|mal|einen)|pause)\b/i,
  it: /\b(?:fammi pensare|aspetta un|pausa)\b/i,
  pt: /\b(?:deix[ae](?:-me| eu)? pensar|esper[ae] um|pausa)\b/i,
  hi: /सोचने दो|सोचने दीजिए|ज़रा रुक|रुकिए|रुको/,
  ja: /(?:かんがえ|考え)させて|(?:まって|待って)/,
};

const silence: Record<Language, RegExp> = {
  en: /\b(?:don'?t (?:answer|reply|say anything)|do not (?:answer|reply)|say nothing|no need to answer)\b/i,
  es: /\bno (?:respondas|contestes|digas nada)\b/i,
  fr: /\bne (?:réponds|répondez) pas\b|\bne (?:dis|dites) rien\b/i,
  de: /\b(?:antworten?(?: sie)? (?:bitte )?nicht|nicht antworten|sag(?:en sie)? nichts)\b/i,
  it: /\bnon (?:rispondere|dire (?:niente|nulla))\b/i,
  pt: /\bnão (?:respondas?|diga nada)\b/i,
  hi: /जवाब मत|कुछ मत/,
  ja: /(?:こたえないで|答えないで|(?:なに|何)もいわないで|何も言わないで)/,
};

/** What a language is called in any of the languages. */
const names: Record<Language, string> = {
  en: "english|inglés|anglais|englisch|inglese|inglês|अंग्रेज़ी|अंग्रेजी|英語|えいご",
  es: "spanish|español|castellano|espagnol|spanisch|spagnolo|espanhol|स्पेनिश|स्पैनिश|スペイン語|スペインご",
  fr: "french|francés|français|französisch|francese|francês|फ़्रेंच|फ्रेंच|フランス語|フランスご",
  de: "german|alemán|allemand|deutsch|tedesco|alemão|जर्मन|ドイツ語|ドイツご",
  it: "italian|italiano|italien|italienisch|इतालवी|इटालियन|イタリア語|イタリアご",
  pt: "portuguese|portugués|portugais|portugiesisch|portoghese|português|पुर्तगाली|ポルトガル語|ポルトガルご",
  hi: "hindi|हिंदी|हिन्दी|ヒンディー語|ヒンディーご",
  ja: "japanese|japonés|japonais|japanisch|giapponese|japonês|जापानी|日本語|にほんご",
};

const speaking =
  "speak|talk|answer|reply|switch to|change to|in|to|habla|hable|hablemos|hablar|en|parle|parlez|parlons|parler|sprich|" +
  "sprechen(?: wir| sie)?|antworte|auf|zu|parla|parliamo|parlare|fala|fale|falar|falemos|em|para";

/** A language is asked for by a verb or a preposition before its name, or by what Hindi and Japanese put behind it. */
const switches = new Map(
  languages.map((language) => [
    language,
    new RegExp(
      `(?<!\\p{L})(?:${speaking})\\s+(?:(?:to me|with me|me|mit mir|conmigo|avec moi|con me|comigo)\\s+)?(?:in\\s+|en\\s+|em\\s+|auf\\s+)?` +
        `(?:${names[language]})(?!\\p{L})|(?:${names[language]})\\s*(?:में|で|を|に)`,
      "iu",
    ),
  ]),
);

/** Words that plainly belong to one language. */
const tellTale: Partial<Record<Language, RegExp>> = {
  en: /(?<!\p{L})(?:hello|hi|hey|thank you|thanks|good (?:morning|afternoon|evening)|how are you|what|please)(?!\p{L})/iu,
  es: /(?<!\p{L})(?:hola|gracias|buenos días|buenas (?:tardes|noches)|cómo estás|qué tal|quiero|cuéntame)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:bonjour|bonsoir|merci|comment allez-vous|ça va|s'il vous plaît|je voudrais)(?!\p{L})/iu,
  de: /(?<!\p{L})(?:hallo|guten (?:tag|morgen|abend)|danke|wie geht|bitte|ich möchte|erzähl)(?!\p{L})/iu,
  it: /(?<!\p{L})(?:ciao|buongiorno|buonasera|grazie|come stai|per favore|raccontami)(?!\p{L})/iu,
  pt: /(?<!\p{L})(?:olá|obrigad[oa]|bom dia|boa (?:tarde|noite)|tudo bem|você)(?!\p{L})/iu,
};

const says = (patterns: Record<Language, RegExp>, said: string) =>
  Object.values(patterns).some((pattern) => pattern.test(said));

/** What a built-in tool is there for, where the words ask for one of them. */
export function wishOf(said: string): "skip_turn" | "pause_conversation" | "end_call" | null {
  if (says(silence, said)) return "skip_turn";
  if (says(pause, said)) return "pause_conversation";
  if (says(goodbye, said)) return "end_call";
  return null;
}

/** The language that the person asks for. */
export function askedLanguage(said: string): Language | null {
  return languages.find((language) => switches.get(language)?.test(said)) ?? null;
}

/** The language that the words themselves are in, where that is plain. */
export function languageOf(said: string): Language | null {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(said)) return "ja";
  if (/\p{Script=Devanagari}/u.test(said)) return "hi";
  const found = languages.filter((language) => tellTale[language]?.test(said));
  return found.length === 1 ? (found[0] ?? null) : null;
}
