import { phrases, set, type LanguageWords } from "./words.ts";

export const german: LanguageWords = {
  spaced: true,
  fillers: set("äh ähm öh hm hmm mhm naja tja also halt eh"),
  trailing: set(`
    und oder aber denn sondern weil dass daß ob wenn als obwohl während bevor nachdem damit sodass falls wie wo wer was
    welche welcher welches warum wann indem sowie entweder weder
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner mein meine meinen meinem
    meiner dein deine deinen deinem deiner sein seine seinen ihr ihre ihren ihrem unser unsere euer eure dieser diese
    dieses diesen diesem jeder jede jedes jeden alle einige manche
    in im an am auf bei beim mit nach von vom zu zum zur für über unter vor hinter zwischen durch ohne gegen um bis seit
    aus wegen trotz per
    bin bist ist sind seid war waren wäre hab habe hast hat haben hatte hätte werde wirst wird werden würde würden kann
    kannst können könnte könnten muss musst müssen soll sollte will willst wollen möchte möchten darf dürfen
    ich er wir man sehr ganz ziemlich nur auch noch nicht so zu mehr weniger sogar vielleicht herr frau
  `),
  trailingPhrases: phrases(`
    ich glaube, ich denke, ich meine, ich finde, ich weiß, ich brauche, ich suche, ich hätte gern, ich hätte gerne,
    ich will, gibt es, können sie, kannst du, könnten sie, haben sie, wissen sie, sagen sie mir, sag mir, zeig mir,
    zeigen sie mir, geben sie mir, zum beispiel, mein name ist, meine nummer ist, es gibt, das heißt, je nachdem, so eine,
    so ein, es geht um, ich heiße
  `),
  closing: phrases(`
    danke, danke schön, vielen dank, bitte, bitte schön, tschüss, auf wiedersehen, das war's, das wars, das ist alles,
    gerne, gern, ich auch, ich nicht, weiß ich nicht, ich weiß nicht, das weiß ich nicht, oder nicht, wer bist du,
    wie geht es dir, wie geht's, glaube ich, denke ich, noch nicht, gar nicht, warum nicht, was ist das, auch nicht
  `),
  answers: set(`
    ja nein doch klar okay ok genau richtig falsch stimmt natürlich vielleicht niemals nie immer hallo hi hey danke bitte
    tschüss stopp gut super perfekt nichts warum wieso was wer wo wann wie entschuldigung sicher gerne
    ja-bitte nein-danke ja-gerne guten-tag guten-morgen guten-abend alles-klar auf-jeden-fall auf-keinen-fall
    noch-nicht eigentlich-nicht in-ordnung gute-nacht
  `),
  questions: phrases(`
    was, wer, wo, wann, warum, wieso, weshalb, wie, welche, welcher, welches, wohin, woher, wozu, ist, sind, bist, kann,
    kannst, können, könnten, könntest, hast, haben, hat, gibt es, wird, werden, willst, wollen, möchtest, darf, soll,
    muss, weißt, wissen, magst, gehst, und was, und wie, aber warum
  `),
  subordinators: set("wenn weil obwohl während bevor nachdem falls als seit sobald solange da ob"),
  subjects: set("ich du er sie es wir ihr man das dann"),
  stranded: {
    words:
      set(`auf an aus ab ein mit vor zu um nach durch los bin bist ist sind war waren hab habe hast hat haben hatte
      wird werden würde kann kannst können konnte muss musst müssen soll sollte will willst wollen möchte darf nicht`),
    after: set(
      "was wer wo wann warum wieso wie welche welcher welches wohin woher ob weil dass daß wenn obwohl",
    ),
  },
  numbers:
    set(`null eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend`),
};
