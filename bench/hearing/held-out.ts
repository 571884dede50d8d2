// Sentences that no figure was tuned on, in the same languages and voices.

import type { Speaker } from "./corpus.ts";

const english = [
  "how long does it take to get to the airport",
  "I've been thinking about | what you said last week",
  "not really",
  "could I have the | the large one with extra cheese",
  "my sister lives in | a small town near the coast",
  "what would you recommend",
  "well it started when | we moved to the new house",
  "they told me that | it would be ready by Thursday",
  "see you tomorrow",
  "I can't hear you very well",
  "the meeting was moved to Monday | so we have more time",
  "I think we should | probably leave before it gets dark",
];

const german = [
  "wie lange dauert die Fahrt zum Flughafen",
  "meine Schwester wohnt in | einer kleinen Stadt am Meer",
  "eigentlich nicht",
  "ich wollte fragen ob | Sie morgen Zeit haben",
  "der Termin ist am Montag | also haben wir noch Zeit",
  "bis morgen",
  "ich verstehe Sie leider nicht gut",
  "was würden Sie empfehlen",
];

const french = [
  "combien de temps faut-il pour aller à l'aéroport",
  "ma sœur habite dans | une petite ville au bord de la mer",
  "pas vraiment",
  "je voulais savoir si | vous êtes libre demain",
  "on m'a dit que | ce serait prêt jeudi",
  "à demain",
  "je ne vous entends pas très bien",
];

const spanish = [
  "cuánto se tarda en llegar al aeropuerto",
  "mi hermana vive en | un pueblo cerca del mar",
  "la verdad es que no",
  "quería saber si | usted está libre mañana",
  "me dijeron que | estaría listo el jueves",
  "hasta mañana",
  "no le oigo muy bien",
];

const italian = [
  "quanto tempo ci vuole per arrivare all'aeroporto",
  "mia sorella abita in | una piccola città sul mare",
  "volevo sapere se | lei è libero domani",
  "a domani",
  "non la sento molto bene",
];

const portuguese = [
  "quanto tempo leva até o aeroporto",
  "minha irmã mora em | uma cidade pequena perto do mar",
  "eu queria saber se | você está livre amanhã",
  "até amanhã",
  "não estou ouvindo muito bem",
];

const hindi = [
  "हवाई अड्डे तक जाने में कितना समय लगता है",
  "मेरी बहन समुद्र के पास | एक छोटे शहर में रहती है",
  "मैं जानना चाहता था कि | क्या आप कल खाली हैं",
  "कल मिलते हैं",
];

const japanese = [
  "空港までどのくらいかかりますか",
  "妹は海の近くの | 小さな町に住んでいます",
  "木曜日までにできると | 言われました",
  "また明日",
];

export const heldOut: readonly Speaker[] = [
  { language: "en", voice: "en-us+m2", sentences: english },
  { language: "en", voice: "en-gb+f4", sentences: english },
  { language: "de", voice: "de+m3", sentences: german },
  { language: "fr", voice: "fr-fr+f2", sentences: french },
  { language: "es", voice: "es+m1", sentences: spanish },
  { language: "it", voice: "it+f3", sentences: italian },
  { language: "pt", voice: "pt-br+m2", sentences: portuguese },
  { language: "hi", voice: "hi+f1", sentences: hindi },
  { language: "ja", voice: "ja+m1", sentences: japanese },
];
