import { phrases, set, type LanguageWords } from "./words.ts";

export const french: LanguageWords = {
  spaced: true,
  fillers: set("euh heu hum hein ben bah alors donc enfin voyons"),
  trailing: set(`
    et ou mais car donc ni or que qu' qu quand comme si lorsque puisque parce quoique afin qui quoi dont où comment
    pourquoi quel quelle quels quelles lequel laquelle
    le la les l' l un une des du de d' d au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur
    leurs quelque quelques chaque aucun aucune tout toute toutes plusieurs certains
    à a dans en sur sous par pour avec sans chez vers entre contre depuis pendant avant après jusque jusqu' près
    suis es est sommes êtes sont étais était étaient serai serait ai as avons avez ont avais avait avaient vais vas va
    allons allez vont peux peut pouvez peuvent pourrais pourrait pourriez dois doit devez faut voudrais veux veut voulez
    j' j je tu il elle on nous vous ils elles c' c s' s n' n m' m t' t ne me te se y très plus moins trop assez aussi
    même vraiment peut-être monsieur madame c'est j'ai j'avais j'étais qu'il qu'elle qu'on d'un d'une
  `),
  trailingPhrases: phrases(`
    je pense, je crois, je veux dire, je cherche, je trouve, j'aimerais, je voudrais, est-ce que, est-ce qu', il y a,
    parce que, alors que, tandis que, pour que, avant de, à cause, à côté, dites-moi, dis-moi, donnez-moi, montrez-moi,
    par exemple, je m'appelle, mon numéro est, mon nom est, c'est-à-dire, un peu de, beaucoup de, j'ai besoin,
    j'ai envie, le plus, la plus, en fait, pouvez-vous, avez-vous, savez-vous, peux-tu
  `),
  closing: phrases(`
    merci, merci beaucoup, s'il vous plaît, s'il te plaît, au revoir, c'est tout, c'est bon, voilà, bonne nuit, à bientôt,
    moi aussi, je ne sais pas, je sais pas, pas du tout, non plus, ça va, comment ça va, comment allez-vous, je crois,
    bien sûr, d'accord, tout à fait, qui es-tu, vous aussi, pour moi, avec moi, il est où, c'est où, c'est qui, c'est quoi
  `),
  answers: set(`
    oui non si ouais d'accord ok okay bien exactement voilà parfait super peut-être jamais toujours rien bonjour salut
    bonsoir merci pardon stop pourquoi quoi comment qui où quand désolé certainement
    oui-merci non-merci bien-sûr pas-encore pas-vraiment pas-du-tout tout-à-fait ça-va c'est-ça c'est-bon
    oui-s'il-vous-plaît au-revoir
  `),
  questions: phrases(`
    qui, que, quoi, où, quand, comment, pourquoi, combien, quel, quelle, quels, quelles, est-ce que, est-ce qu'il,
    est-ce qu'elle, est-ce que vous, qu'est-ce que, qu'est-ce qui, pouvez-vous, peux-tu, avez-vous, as-tu, êtes-vous, es-tu,
    savez-vous, voulez-vous, veux-tu, y a-t-il, pourriez-vous, c'est quoi, tu peux, vous pouvez, et comment, mais pourquoi
  `),
  subordinators: set("si quand lorsque puisque comme bien parce pendant depuis avant après dès"),
  subjects: set("je tu il elle on nous vous ils elles j'ai c'est ça j'aimerais qu'est-ce est-ce"),
  numbers: set(`zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize
    vingt trente quarante cinquante soixante cent mille`),
};
