import { phrases, set, type LanguageWords } from "./words.ts";

export const spanish: LanguageWords = {
  spaced: true,
  fillers: set("eh em mmm hum pues digamos ehm"),
  trailing: set(`
    y e o u pero ni sino porque que aunque mientras cuando si como donde quien cual cuyo pues qué quién cómo cuándo dónde cuál cuánto
    el la los las lo un una unos unas mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas ese
    esa esos esas aquel aquella algún alguna algunos algunas ningún ninguna cada otro otra otros otras todo toda todos
    todas mucho muchas muchos
    a al de del en con sin por para sobre bajo entre hacia hasta desde contra según durante ante tras
    es soy eres somos son era eran fue ser estoy estás está estamos están estaba estar he has ha hemos han había hay voy
    vas va vamos van puedo puedes puede podemos pueden podría podrías debo debe tengo tienes tiene tenemos quiero quieres
    quiere quisiera querría necesito
    yo él ella nosotros ellos ellas me te se nos le les muy más menos tan demasiado bastante también sólo solo quizás
    incluso no señor señora
  `),
  trailingPhrases: phrases(`
    creo que, pienso que, me gustaría, quiero decir, tengo que, hay que, voy a, ir a, dígame, dime, deme, dame, muéstrame,
    por ejemplo, me llamo, mi número es, mi nombre es, es decir, un poco de, a causa, cerca de, antes de, después de,
    para que, así que, o sea, lo que, puede ser, tal vez, estoy buscando, sabe si, la verdad
  `),
  closing: phrases(`
    gracias, muchas gracias, por favor, adiós, hasta luego, eso es todo, nada más, buenas noches, yo también, yo no,
    no lo sé, no sé, creo que sí, creo que no, que sí, que no, claro que sí, qué tal, cómo estás, cómo está, todavía no, qué es, quién es,
    quién eres, para mí, también, ahora no, por qué no, dónde está, cuánto es
  `),
  answers: set(`
    sí si no vale claro bueno bien perfecto exacto correcto tal-vez quizás nunca siempre nada hola gracias adiós perdón
    para alto qué quién cómo cuándo dónde genial ok okay
    sí-gracias no-gracias sí-por-favor por-supuesto claro-que-sí de-acuerdo todavía-no buenos-días buenas-tardes
    buenas-noches está-bien muy-bien qué-tal así-es
  `),
  questions: phrases(`
    qué, quién, quiénes, dónde, cuándo, por qué, cómo, cuál, cuáles, cuánto, cuánta, cuántos, cuántas, puedes, puede,
    podría, podrías, tienes, tiene, hay, sabes, sabe, quieres, quiere, es posible, está, estás, y qué, y cómo, pero por qué,
    de dónde, a qué, me puede, me puedes, me podría
  `),
  subordinators: set("si cuando porque aunque mientras como antes después desde"),
  subjects: set("yo tú él ella usted nosotros ellos ustedes puedo puedes quiero podemos entonces qué me"),
  dropsSubjects: true,
  numbers:
    set(`cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
    veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil`),
};
