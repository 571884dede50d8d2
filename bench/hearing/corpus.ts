// What people say to an avatar, with the places where they stop to think (|).

import type { Language } from "../../contract/tones.ts";

export interface Speaker {
  language: Language;
  /** A voice of espeak-ng. */
  voice: string;
  sentences: readonly string[];
}

const english = [
  "what time does the museum open tomorrow",
  "I'd like to book a table for | four people on Friday evening",
  "yes",
  "no thanks",
  "hello there",
  "tell me about the history of this city",
  "I was wondering if | you could help me with my homework",
  "my phone number is | zero four one two | five five five | one nine six",
  "can you explain how the engine works",
  "I went to the doctor yesterday and | she told me to rest for a week",
  "um | I think the second one is better",
  "the blue one please",
  "if it rains tomorrow | we should stay at home",
  "my favourite film is | the one about the lighthouse",
  "that sounds good",
  "I don't know",
  "could you send the report to | my manager before | the end of the day",
  "I lost my keys on the train | and now I can't get into my flat",
];

const german = [
  "wann macht das Museum morgen auf",
  "ich möchte einen Tisch für | vier Personen am Freitag",
  "ja bitte",
  "nein danke",
  "erzähl mir etwas über die Geschichte dieser Stadt",
  "ich habe gehört dass | man hier sehr gut essen kann",
  "ähm | das zweite gefällt mir besser",
  "wenn es morgen regnet | bleiben wir zu Hause",
  "können Sie mir erklären wie | der Motor funktioniert",
  "ich war gestern beim Arzt und | er hat mir Ruhe verordnet",
  "das weiß ich nicht",
  "wie geht es dir",
];

const french = [
  "à quelle heure ouvre le musée demain",
  "je voudrais réserver une table pour | quatre personnes vendredi soir",
  "oui merci",
  "non merci",
  "parlez-moi de l'histoire de cette ville",
  "euh | je préfère la deuxième",
  "je pense que | ce film est vraiment magnifique",
  "s'il pleut demain nous resterons à la maison",
  "hier je suis allé chez le médecin et | il m'a dit de me reposer",
  "pouvez-vous m'expliquer comment | fonctionne ce moteur",
  "je ne sais pas",
  "comment ça va",
];

const spanish = [
  "a qué hora abre el museo mañana",
  "quisiera reservar una mesa para | cuatro personas el viernes",
  "sí gracias",
  "no gracias",
  "cuéntame la historia de esta ciudad",
  "eh | creo que prefiero el segundo",
  "ayer fui al médico y | me dijo que descansara",
  "si llueve mañana | nos quedamos en casa",
  "puedes explicarme cómo | funciona este motor",
  "me gusta mucho la música de | los años ochenta",
  "no lo sé",
  "cómo estás",
];

const italian = [
  "a che ora apre il museo domani",
  "vorrei prenotare un tavolo per | quattro persone venerdì sera",
  "sì grazie",
  "raccontami la storia di questa città",
  "ehm | credo che il secondo sia migliore",
  "ieri sono andato dal medico e | mi ha detto di riposare",
  "se domani piove | restiamo a casa",
  "puoi spiegarmi come | funziona questo motore",
  "mi piace molto la musica degli | anni ottanta",
  "non lo so",
];

const portuguese = [
  "a que horas abre o museu amanhã",
  "eu queria reservar uma mesa para | quatro pessoas na sexta",
  "sim obrigado",
  "conte a história desta cidade",
  "hum | acho que prefiro o segundo",
  "ontem fui ao médico e | ele me disse para descansar",
  "se chover amanhã | ficamos em casa",
  "você pode me explicar como | funciona este motor",
  "eu gosto muito da música dos | anos oitenta",
  "não sei",
];

const hindi = [
  "संग्रहालय कल कितने बजे खुलता है",
  "मुझे शुक्रवार को | चार लोगों के लिए मेज़ चाहिए",
  "जी हाँ",
  "मुझे इस शहर के बारे में बताइए",
  "मैं कल डॉक्टर के पास गया और | उन्होंने आराम करने को कहा",
  "अगर कल बारिश हुई | तो हम घर पर रहेंगे",
  "मुझे लगता है कि | दूसरा वाला बेहतर है",
  "मुझे नहीं पता",
];

const japanese = [
  "美術館は明日何時に開きますか",
  "金曜日に | 四人で予約したいんですけど | 空いていますか",
  "はい",
  "この町の歴史を教えてください",
  "えっと | 二番目のほうがいいです",
  "昨日病院に行って | 休むように言われました",
  "明日雨が降ったら | 家にいましょう",
  "わかりました",
];

export const speakers: readonly Speaker[] = [
  { language: "en", voice: "en-us+f3", sentences: english },
  { language: "en", voice: "en-gb+m3", sentences: english },
  { language: "de", voice: "de+f2", sentences: german },
  { language: "fr", voice: "fr-fr+m2", sentences: french },
  { language: "es", voice: "es+f4", sentences: spanish },
  { language: "it", voice: "it+m1", sentences: italian },
  { language: "pt", voice: "pt-br+f1", sentences: portuguese },
  { language: "hi", voice: "hi+m4", sentences: hindi },
  { language: "ja", voice: "ja+f2", sentences: japanese },
];
