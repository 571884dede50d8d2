import { phrases, set, type LanguageWords } from "./words.ts";

export const portuguese: LanguageWords = {
  spaced: true,
  fillers: set("hum ahn eh tipo então ãh hã pois"),
  trailing: set(`
    e ou mas porém porque pois que se quando enquanto como onde quem qual cujo embora nem
    o a os as um uma uns umas meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta estes
    estas esse essa esses essas aquele aquela algum alguma alguns algumas nenhum nenhuma cada outro outra outros outras
    todo toda todos todas muito muita muitos
    ao à aos às de do da dos das em no na nos nas num numa com sem por pelo pela pelos pelas para pra pro sobre sob entre
    até desde contra durante após perante
    sou és é somos são era eram foi ser estou está estamos estão estava tenho tem temos têm tinha há vou vai vamos vão
    posso pode podemos podem poderia devo deve quero quer queria gostaria preciso
    eu ele ela nós eles elas me te lhe mais menos tão demais bastante também só talvez não muito senhor senhora
  `),
  trailingPhrases: phrases(`
    acho que, penso que, eu acho, eu quero dizer, tenho que, vou para, gostaria de, preciso de, estou procurando, me diga,
    me diz, diga-me, me dê, por exemplo, me chamo, meu número é, meu nome é, o meu nome é, quer dizer, ou seja, um pouco de,
    por causa, perto de, antes de, depois de, para que, assim que, sabe se, a verdade, na verdade
  `),
  closing: phrases(`
    obrigado, obrigada, muito obrigado, muito obrigada, por favor, tchau, adeus, até logo, é tudo, é só isso, só isso,
    boa noite, eu também, eu não, não sei, eu não sei, acho que sim, acho que não, tudo bem, como vai, como está, como você está, ainda não, o que é, quem é,
    quem é você, onde está, quanto é, por que não, para mim, comigo, também, agora não
  `),
  answers: set(`
    sim não claro certo exato perfeito bom bem talvez nunca sempre nada olá oi obrigado obrigada tchau adeus desculpe
    pare quem como quando onde okay ok
    sim-obrigado não-obrigado sim-por-favor com-certeza ainda-não bom-dia boa-tarde boa-noite tudo-bem está-bem isso-mesmo
    claro-que-sim de-nada
  `),
  questions: phrases(`
    o que, que, quem, onde, quando, por que, porque é que, como, qual, quais, quanto, quanta, quantos, quantas, pode, você
    pode, poderia, tem, você tem, sabe, você sabe, quer, você quer, há, é possível, está, e como, mas por que, de onde, a que
  `),
  subordinators: set("se quando porque embora enquanto como antes depois assim"),
  subjects: set("eu tu você ele ela nós vocês eles posso quero pode vamos então me"),
  dropsSubjects: true,
  numbers:
    set(`zero um dois três quatro cinco seis meia sete oito nove dez onze doze treze catorze quatorze quinze
    vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento mil`),
};
