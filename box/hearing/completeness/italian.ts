import { phrases, set, type LanguageWords } from "./words.ts";

export const italian: LanguageWords = {
  spaced: true,
  fillers: set("ehm eh uhm mmm boh cioè allora dunque insomma beh mah"),
  trailing: set(`
    e ed o oppure ma però perché che se quando mentre come dove chi cui quale anche affinché sebbene né quindi siccome
    il lo la i gli le l' l un uno una un' del dello della dei degli delle d' mio mia miei mie tuo tua tuoi tue suo sua
    suoi sue nostro nostra vostro vostra loro questo questa questi queste quel quello quella quei quelle ogni qualche
    alcuni alcune nessun nessuna altro altra altri altre tutto tutta tutti tutte molto
    a al allo alla ai agli alle all' di da dal dallo dalla dai dalle in nel nello nella nei nelle nell' con su sul sulla
    sui sulle per tra fra senza sotto sopra verso contro durante prima dopo fino presso
    sono sei è siamo siete era erano sarà ho hai ha abbiamo avete hanno avevo aveva vado vai va andiamo posso puoi può
    possiamo potete possono potrei potrebbe devo devi deve vorrei voglio vuoi vuole c'è ci
    io lui lei noi mi ti si vi ne più meno molto troppo abbastanza solo forse non così signor signora un'altra
  `),
  trailingPhrases: phrases(`
    penso che, credo che, mi piacerebbe, ho bisogno, sto cercando, mi dica, dimmi, mi dia, dammi, per esempio, mi chiamo,
    il mio numero è, il mio nome è, cioè, vale a dire, un po' di, a causa, vicino a, prima di, dopo di, in modo, ci sono,
    c'è un, sa se, sai se, la cosa, si tratta
  `),
  closing: phrases(`
    grazie, grazie mille, per favore, per piacere, arrivederci, ciao, è tutto, basta così, buona notte, buonanotte,
    anch'io, anche a me, non lo so, non so, credo di sì, credo di no, penso di sì, come va, come stai, come sta, chi sei, non ancora, che cos'è,
    dov'è, quant'è, certo che sì, perché no, va bene, per me, con me
  `),
  answers: set(`
    sì si no certo esatto giusto perfetto bene forse mai sempre niente nulla ciao salve grazie arrivederci scusa scusi
    stop basta cosa chi come quando dove perché okay ok
    sì-grazie no-grazie va-bene certo-che-sì non-ancora non-proprio d'accordo buongiorno buonasera buon-giorno
    per-niente tutto-bene
  `),
  questions: phrases(`
    che, cosa, che cosa, chi, dove, dov'è, quando, perché, come, com'è, quale, quali, qual è, quanto, quanta, quanti,
    quante, puoi, può, potresti, potrebbe, hai, ha, sai, sa, vuoi, vuole, c'è, ci sono, è possibile, sei, mi puoi, mi può,
    e come, ma perché, a che
  `),
  subordinators: set("se quando perché mentre siccome sebbene prima dopo appena"),
  subjects: set("io tu lui lei noi voi loro puoi posso voglio allora mi potrei vorrei"),
  dropsSubjects: true,
  numbers:
    set(`zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici
    venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento mille`),
};
