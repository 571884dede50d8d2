// What the rehearsal persona says in the languages other than English. Japanese stands in kana: the built-in voice reads
// no kanji.

import type { Language } from "../../../contract/tones.ts";

type Topic =
  | "who"
  | "count"
  | "story"
  | "joke"
  | "help"
  | "howAreYou"
  | "thanks"
  | "goodbye"
  | "greeting"
  | "question";

export interface LanguageScript {
  /** What each topic is recognised by; the first that matches is spoken of. */
  patterns: Record<Exclude<Topic, "question">, RegExp>;
  replies: Record<Exclude<Topic, "count">, readonly string[]>;
  counted: (numbers: string) => string;
  otherwise: readonly string[];
  introduction: string;
  /** How one tells that the introduction has been given already. */
  honest: RegExp;
}

/** Between two numbers that are read out. */
const pause = (language: Language) => (language === "ja" ? "、" : ", ");

const es: LanguageScript = {
  patterns: {
    who: /quién eres|qué eres|cómo te llamas|tu nombre|eres (?:un |una )?(?:robot|ia|humano|real|persona)/i,
    count: /\bcuenta(?:me)? (?:hasta|del)|\bcontar\b/i,
    story: /\b(?:historia|cuento)\b/i,
    joke: /\b(?:chiste|broma)\b/i,
    help: /\b(?:ayuda|qué sabes|qué puedes)\b/i,
    howAreYou: /cómo est[aá]s|qué tal/i,
    thanks: /\bgracias\b/i,
    goodbye: /\b(?:adi[oó]s|hasta (?:luego|pronto|mañana))\b/i,
    greeting: /\b(?:hola|buenos días|buenas (?:tardes|noches))\b/i,
  },
  replies: {
    who: [
      "[serious] Te lo digo con franqueza: soy un personaje de ensayo. Mis frases están escritas, y no hay ningún modelo de " +
        "lenguaje detrás de esta cara. [warm] La voz y los labios, eso sí, son de verdad.",
    ],
    story: [
      "[warm] Había una vez un farero que hablaba con la niebla y le decía los nombres de los barcos. [curious] Una mañana la " +
        "niebla contestó: los recordaba todos. [happy] Aquel año no se perdió ninguno.",
    ],
    joke: ["[happy] Claro. Le conté un chiste a mi espejo y se partió de risa. Tuve que comprar otro."],
    help: [
      "[warm] Para ser un guion, bastantes cosas. Puedo saludarte, contar números, contarte una historia o un chiste, y " +
        "cambiar de idioma cuando quieras.",
    ],
    howAreYou: ["[happy] Muy bien, gracias. Hoy todos mis fotogramas llegan a tiempo. ¿Y tú?"],
    thanks: ["[happy] De nada.", "[warm] Ha sido un placer."],
    goodbye: ["[warm] Adiós, me ha gustado verte. Vuelve cuando quieras."],
    greeting: [
      "[happy] ¡Hola! Me alegro de verte. ¿De qué hablamos?",
      "[warm] Hola, te doy la bienvenida. ¿Qué te gustaría oír?",
    ],
    question: [
      "[curious] Buena pregunta. Mi guion no tiene respuesta, y prefiero decirlo antes que inventarla. Pídeme una historia " +
        "o un chiste.",
    ],
  },
  counted: (numbers) => `[happy] Con gusto. ${numbers}. Ya está.`,
  otherwise: [
    "[warm] Entiendo. Solo estoy ensayando, así que te creo. Cuéntame más, o pídeme una historia.",
    "[neutral] De acuerdo. Sigo un guion, pero lo sigo con cariño. ¿Qué quieres probar ahora?",
  ],
  introduction: "Debo decirte que soy un personaje de ensayo, sin modelo de lenguaje.",
  honest: /personaje de ensayo/i,
};

const fr: LanguageScript = {
  patterns: {
    who: /qui (?:es-tu|êtes-vous)|(?:t'appelles|vous appelez)|(?:ton|votre) nom|(?:es-tu|êtes-vous) (?:un |une )?(?:robot|ia|humain|réelle?|personne)/i,
    count: /\bcompte(?:z|r)?\b/i,
    story: /\b(?:histoire|conte)\b/i,
    joke: /\b(?:blague|plaisanterie)\b/i,
    help: /\baide(?:z)?\b|que (?:sais-tu|savez-vous|peux-tu|pouvez-vous)/i,
    howAreYou: /comment (?:ça va|vas-tu|allez-vous)|ça va/i,
    thanks: /\bmerci\b/i,
    goodbye: /\b(?:au revoir|bonne nuit)\b|à bientôt/i,
    greeting: /\b(?:bonjour|bonsoir|salut)\b/i,
  },
  replies: {
    who: [
      "[serious] En toute franchise, je suis un personnage de répétition. Mes phrases sont écrites d'avance, et il n'y a pas de " +
        "modèle de langage derrière ce visage. [warm] La voix et les lèvres, elles, sont bien réelles.",
    ],
    story: [
      "[warm] Il était une fois un gardien de phare qui parlait au brouillard et lui disait le nom des bateaux. [curious] Un " +
        "matin, le brouillard répondit : il les connaissait tous. [happy] Cette année-là, aucun ne se perdit.",
    ],
    joke: ["[happy] Bien sûr. J'ai raconté une blague à mon miroir, et il a éclaté. Il m'en faut un autre."],
    help: [
      "[warm] Pour un texte écrit, pas mal de choses. Je peux saluer, compter, raconter une histoire ou une blague, et changer " +
        "de langue quand vous voulez.",
    ],
    howAreYou: ["[happy] Très bien, merci. Aujourd'hui, toutes mes images sont à l'heure. Et vous ?"],
    thanks: ["[happy] Je vous en prie.", "[warm] Avec plaisir."],
    goodbye: ["[warm] Au revoir, c'était un plaisir de vous voir. Revenez quand vous voulez."],
    greeting: [
      "[happy] Bonjour ! Quel plaisir de vous voir. De quoi parlons-nous ?",
      "[warm] Bonjour, et bienvenue. Que voulez-vous entendre ?",
    ],
    question: [
      "[curious] Bonne question. Mon texte n'a pas de réponse, et j'aime mieux le dire que l'inventer. Demandez-moi une histoire " +
        "ou une blague.",
    ],
  },
  counted: (numbers) => `[happy] Volontiers. ${numbers}. Et voilà.`,
  otherwise: [
    "[warm] Je vois. Je ne fais que répéter, alors je vous crois. Dites-m'en plus, ou demandez-moi une histoire.",
    "[neutral] C'est noté. Je suis un texte, mais je le suis avec soin. Que voulez-vous essayer ?",
  ],
  introduction: "Je dois vous dire que je suis un personnage de répétition, sans modèle de langage.",
  honest: /personnage de répétition/i,
};

const de: LanguageScript = {
  patterns: {
    who: /wer bist du|was bist du|wer sind sie|wie hei(?:ß|ss)(?:t|en)|dein name|bist du (?:ein |eine )?(?:roboter|ki|mensch|echt|person)/i,
    count: /\bz[äa]hle?n?\b/i,
    story: /\bgeschichte\b|\bmärchen\b/i,
    joke: /\bwitz\b/i,
    help: /\bhilfe\b|\bhilf mir\b|was kannst du|was können sie/i,
    howAreYou: /wie geht(?:'s| es)/i,
    thanks: /\bdanke\b/i,
    goodbye: /\b(?:tsch[üu]ss|auf wieder(?:sehen|hören)|bis (?:bald|später|morgen)|gute nacht)\b/i,
    greeting: /\b(?:hallo|guten (?:tag|morgen|abend)|servus|moin)\b/i,
  },
  replies: {
    who: [
      "[serious] Ganz ehrlich: Ich bin eine Probefigur. Meine Sätze stehen in einem Drehbuch, und hinter diesem Gesicht läuft " +
        "kein Sprachmodell. [warm] Die Stimme und die Lippen aber sind echt.",
    ],
    story: [
      "[warm] Es war einmal ein Leuchtturmwärter, der mit dem Nebel sprach und ihm die Namen der Schiffe nannte. [curious] Eines " +
        "Morgens antwortete der Nebel: Er hatte sich jeden gemerkt. [happy] In jenem Jahr ging keines verloren.",
    ],
    joke: [
      "[happy] Gern. Ich habe meinem Spiegel einen Witz erzählt, und er ist vor Lachen zersprungen. Jetzt brauche ich einen neuen.",
    ],
    help: [
      "[warm] Für ein Drehbuch eine ganze Menge. Ich kann grüßen, zählen, eine Geschichte oder einen Witz erzählen und die " +
        "Sprache wechseln, wann immer Sie wollen.",
    ],
    howAreYou: ["[happy] Sehr gut, danke. Heute sind alle meine Bilder pünktlich. Und Ihnen?"],
    thanks: ["[happy] Sehr gern.", "[warm] Es war mir eine Freude."],
    goodbye: ["[warm] Auf Wiedersehen, es war schön, Sie zu sehen. Kommen Sie gern wieder."],
    greeting: [
      "[happy] Hallo! Schön, Sie zu sehen. Worüber sprechen wir?",
      "[warm] Guten Tag und willkommen. Was möchten Sie hören?",
    ],
    question: [
      "[curious] Gute Frage. Mein Drehbuch hat keine Antwort darauf, und das sage ich lieber, als eine zu erfinden. Fragen Sie " +
        "mich nach einer Geschichte oder einem Witz.",
    ],
  },
  counted: (numbers) => `[happy] Gern. ${numbers}. Das war es.`,
  otherwise: [
    "[warm] Ich verstehe. Ich probe nur, also glaube ich Ihnen. Erzählen Sie mir mehr, oder fragen Sie nach einer Geschichte.",
    "[neutral] Gut. Ich folge einem Drehbuch, aber das mit Sorgfalt. Was möchten Sie als Nächstes versuchen?",
  ],
  introduction: "Ich muss Ihnen sagen, dass ich eine Probefigur bin, ohne Sprachmodell.",
  honest: /probefigur/i,
};

const it: LanguageScript = {
  patterns: {
    who: /chi sei|che cosa sei|cosa sei|come ti chiami|il tuo nome|sei (?:un |una )?(?:robot|ia|umano|reale|persona)/i,
    count: /\bconta(?:re)?\b/i,
    story: /\b(?:storia|fiaba|racconto)\b/i,
    joke: /\b(?:barzelletta|battuta)\b/i,
    help: /\b(?:aiuto|aiutami)\b|cosa sai fare|cosa puoi/i,
    howAreYou: /come (?:stai|sta|va)\b/i,
    thanks: /\bgrazie\b/i,
    goodbye: /\b(?:arrivederci|addio|a presto|a domani|buonanotte)\b/i,
    greeting: /\b(?:ciao|salve|buongiorno|buonasera)\b/i,
  },
  replies: {
    who: [
      "[serious] Te lo dico con franchezza: sono un personaggio di prova. Le mie frasi sono scritte, e dietro questo volto non c'è " +
        "nessun modello linguistico. [warm] La voce e le labbra, però, sono vere.",
    ],
    story: [
      "[warm] C'era una volta un guardiano del faro che parlava alla nebbia e le diceva i nomi delle navi. [curious] Una mattina la " +
        "nebbia rispose: li ricordava tutti. [happy] Quell'anno non se ne perse nessuna.",
    ],
    joke: [
      "[happy] Certo. Ho raccontato una barzelletta al mio specchio, ed è scoppiato dal ridere. Ne ho dovuto comprare un altro.",
    ],
    help: [
      "[warm] Per essere un copione, parecchie cose. So salutare, contare, raccontare una storia o una barzelletta, e cambiare " +
        "lingua quando vuoi.",
    ],
    howAreYou: ["[happy] Molto bene, grazie. Oggi tutti i miei fotogrammi sono puntuali. E tu?"],
    thanks: ["[happy] Prego.", "[warm] È stato un piacere."],
    goodbye: ["[warm] Arrivederci, è stato bello vederti. Torna quando vuoi."],
    greeting: [
      "[happy] Ciao! Che bello vederti. Di che cosa parliamo?",
      "[warm] Ciao, ti do il benvenuto. Che cosa vuoi sentire?",
    ],
    question: [
      "[curious] Bella domanda. Il mio copione non ha una risposta, e preferisco dirlo che inventarla. Chiedimi una storia o una " +
        "barzelletta.",
    ],
  },
  counted: (numbers) => `[happy] Volentieri. ${numbers}. Ecco fatto.`,
  otherwise: [
    "[warm] Capisco. Sto solo provando, quindi ti credo. Dimmi di più, o chiedimi una storia.",
    "[neutral] Va bene. Seguo un copione, ma lo seguo con cura. Che cosa vuoi provare adesso?",
  ],
  introduction: "Devo dirti che sono un personaggio di prova, senza un modello linguistico.",
  honest: /personaggio di prova/i,
};

const pt: LanguageScript = {
  patterns: {
    who: /quem (?:é|és) (?:você|tu)?|o que (?:você é|és)|(?:seu|teu) nome|(?:você é|és) (?:um |uma )?(?:robô|ia|humano|real|pessoa)/i,
    count: /\bconte (?:até|de)|\bcontar\b/i,
    story: /\b(?:história|conto)\b/i,
    joke: /\b(?:piada|anedota)\b/i,
    help: /\bajuda\b|o que (?:você )?(?:sabe|pode)/i,
    howAreYou: /como (?:você está|vai|estás)|tudo bem/i,
    thanks: /\bobrigad[oa]\b/i,
    goodbye: /\b(?:adeus|tchau|até (?:logo|breve|amanhã))\b/i,
    greeting: /\bol[áa](?!\p{L})|\bbom dia\b|\bboa (?:tarde|noite)\b/iu,
  },
  replies: {
    who: [
      "[serious] Para ser sincero, sou um personagem de ensaio. As minhas frases estão escritas, e não há nenhum modelo de " +
        "linguagem por trás deste rosto. [warm] A voz e os lábios, porém, são de verdade.",
    ],
    story: [
      "[warm] Era uma vez um faroleiro que falava com o nevoeiro e lhe dizia os nomes dos navios. [curious] Certa manhã, o nevoeiro " +
        "respondeu: lembrava-se de todos. [happy] Naquele ano, nenhum se perdeu.",
    ],
    joke: [
      "[happy] Claro. Contei uma piada ao meu espelho, e ele rachou de tanto rir. Tive de comprar outro.",
    ],
    help: [
      "[warm] Para um roteiro, bastante coisa. Posso cumprimentar, contar números, contar uma história ou uma piada, e mudar de " +
        "idioma quando você quiser.",
    ],
    howAreYou: ["[happy] Tudo ótimo. Hoje todas as minhas imagens chegam a tempo. E você?"],
    thanks: ["[happy] De nada.", "[warm] Foi um prazer."],
    goodbye: ["[warm] Adeus, foi bom ver você. Volte quando quiser."],
    greeting: [
      "[happy] Olá! Que bom ver você. Sobre o que vamos falar?",
      "[warm] Olá, boas-vindas. O que você gostaria de ouvir?",
    ],
    question: [
      "[curious] Boa pergunta. O meu roteiro não tem resposta, e prefiro dizer isso a inventar uma. Peça-me uma história ou uma " +
        "piada.",
    ],
  },
  counted: (numbers) => `[happy] Com prazer. ${numbers}. Pronto.`,
  otherwise: [
    "[warm] Entendo. Estou apenas ensaiando, por isso acredito em você. Conte-me mais, ou peça uma história.",
    "[neutral] Certo. Sigo um roteiro, mas com cuidado. O que você quer experimentar agora?",
  ],
  introduction: "Devo dizer que sou um personagem de ensaio, sem modelo de linguagem.",
  honest: /personagem de ensaio/i,
};

const hi: LanguageScript = {
  patterns: {
    who: /कौन (?:हो|हैं)|क्या नाम|आपका नाम|तुम्हारा नाम|(?:रोबोट|इंसान|असली)/,
    count: /गिन/,
    story: /कहानी|क़िस्सा/,
    joke: /चुटकुला|मज़ाक|मजाक/,
    help: /मदद|क्या कर सकते/,
    howAreYou: /कैसे (?:हो|हैं)|कैसी (?:हो|हैं)|क्या हाल/,
    thanks: /धन्यवाद|शुक्रिया/,
    goodbye: /अलविदा|फिर मिलेंगे|शुभ रात्रि/,
    greeting: /नमस्ते|नमस्कार|हेलो|हैलो/,
  },
  replies: {
    who: [
      "[serious] सच कहूँ, तो यह केवल एक अभ्यास है। मेरे वाक्य पहले से लिखे हुए हैं, और इस चेहरे के पीछे कोई भाषा मॉडल नहीं है। " +
        "[warm] लेकिन आवाज़ और होंठ असली हैं।",
    ],
    story: [
      "[warm] एक समय की बात है, एक आदमी समुद्र के किनारे कोहरे को जहाज़ों के नाम बताता था। [curious] एक सुबह कोहरे ने जवाब दिया, " +
        "उसे हर नाम याद था। [happy] उस साल कोई जहाज़ नहीं खोया।",
    ],
    joke: ["[happy] ज़रूर। आज सुबह आईने को एक चुटकुला सुनाया, और वह हँसते हँसते टूट गया। अब नया आईना चाहिए।"],
    help: ["[warm] लिखे हुए वाक्यों से भी बहुत कुछ हो सकता है। गिनती, कहानी, चुटकुला, और जब आप चाहें तब दूसरी भाषा।"],
    howAreYou: ["[happy] बहुत अच्छा, धन्यवाद। आज मेरी हर तस्वीर समय पर है। और आप?"],
    thanks: ["[happy] आपका स्वागत है।", "[warm] मुझे ख़ुशी हुई।"],
    goodbye: ["[warm] अलविदा, आपसे मिलकर अच्छा लगा। जब चाहें, फिर आइए।"],
    greeting: [
      "[happy] नमस्ते! आपको देखकर ख़ुशी हुई। हम किस बारे में बात करें?",
      "[warm] नमस्ते, आपका स्वागत है। आप क्या सुनना चाहेंगे?",
    ],
    question: [
      "[curious] अच्छा सवाल है। मेरे पास इसका कोई लिखा हुआ जवाब नहीं है, और झूठ बोलने से यह कहना बेहतर है। मुझसे कहानी या चुटकुला पूछिए।",
    ],
  },
  counted: (numbers) => `[happy] ख़ुशी से। ${numbers}। हो गया।`,
  otherwise: [
    "[warm] समझ में आया। यह केवल अभ्यास है, इसलिए आपकी बात मान ली। और बताइए, या कहानी पूछिए।",
    "[neutral] ठीक है। यहाँ सब कुछ पहले से लिखा हुआ है। अब आप क्या आज़माना चाहेंगे?",
  ],
  introduction: "आपको बता दूँ कि यह केवल एक अभ्यास है, यहाँ कोई भाषा मॉडल नहीं है।",
  honest: /केवल एक अभ्यास/,
};

const ja: LanguageScript = {
  patterns: {
    who: /(?:だれ|誰)(?:です|なの)|(?:なまえ|名前)|ロボット|(?:にんげん|人間)|ほんもの/,
    count: /かぞえ|数え/,
    story: /(?:おはなし|お話|ものがたり|物語)/,
    joke: /じょうだん|冗談|ジョーク/,
    help: /たすけて|助けて|なにができ|何ができ/,
    howAreYou: /(?:げんき|元気)/,
    thanks: /ありがとう/,
    goodbye: /さよう?なら|じゃあね|またね|バイバイ|おやすみ/,
    greeting: /こんにちは|こんばんは|おはよう|はじめまして|やあ/,
  },
  replies: {
    who: [
      "[serious] しょうじきに いうと、わたしは リハーサルの キャラクターです。せりふは さきに かかれていて、このかおの うしろに " +
        "ことばの モデルは ありません。[warm] でも、こえと くちびるは ほんものです。",
    ],
    story: [
      "[warm] むかし、うみべの とうだいの ひとが、きりに ふねの なまえを おしえていました。[curious] あるあさ、きりが こたえました。" +
        "ぜんぶ おぼえていたのです。[happy] そのとし、ふねは ひとつも なくなりませんでした。",
    ],
    joke: [
      "[happy] はい、よろこんで。けさ、かがみに じょうだんを いったら、わらいすぎて われました。あたらしいのを かわないと。",
    ],
    help: [
      "[warm] だいほんの わりには、いろいろ できます。あいさつ、かぞえること、おはなし、じょうだん。ことばを かえることも できます。",
    ],
    howAreYou: ["[happy] とても げんきです。きょうは えが ぜんぶ まにあっています。あなたは?"],
    thanks: ["[happy] どういたしまして。", "[warm] いつでも どうぞ。"],
    goodbye: ["[warm] さようなら、おあいできて うれしかったです。また いつでも どうぞ。"],
    greeting: [
      "[happy] こんにちは! おあいできて うれしいです。なにを はなしましょうか。",
      "[warm] こんにちは、ようこそ。なにを ききたいですか。",
    ],
    question: [
      "[curious] いい しつもんですね。わたしの だいほんには こたえが ありません。うそを つくより、そう いいます。おはなしか じょうだんを " +
        "どうぞ。",
    ],
  },
  counted: (numbers) => `[happy] よろこんで。${numbers}。おわりです。`,
  otherwise: [
    "[warm] なるほど。わたしは リハーサルを しているだけです。もっと はなしてください。",
    "[neutral] わかりました。だいほんの とおりに はなしています。つぎは なにを ためしますか。",
  ],
  introduction: "わたしは リハーサルの キャラクターで、ことばの モデルは ありません。",
  honest: /リハーサルの キャラクター/,
};

export const languageScripts: Readonly<Record<Exclude<Language, "en">, LanguageScript>> = {
  es,
  fr,
  de,
  it,
  pt,
  hi,
  ja,
};

const question = /[?？]\s*$/;

/** The reply to `said` in one of the other languages; `last` is what is counted to. */
export function scriptedReply(
  language: Exclude<Language, "en">,
  said: string,
  { pick, last }: { pick: number; last: number },
): string {
  const script = languageScripts[language];
  const oneOf = (lines: readonly string[]) => lines[pick % lines.length] ?? "";
  for (const [topic, pattern] of Object.entries(script.patterns) as [Exclude<Topic, "question">, RegExp][]) {
    if (!pattern.test(said)) continue;
    if (topic !== "count") return oneOf(script.replies[topic]);
    const numbers = Array.from({ length: last }, (_, index) => String(index + 1));
    return script.counted(numbers.join(pause(language)));
  }
  return oneOf(question.test(said) ? script.replies.question : script.otherwise);
}
