// Whether a full stop ends a sentence: the words around it, in the call languages written with full stops.

const set = (words: string) => new Set(words.split(" "));

/** Never the last word of a sentence. Lower case, without the last stop. */
const always = set(
  "mr mrs ms dr prof vs e.g i.e approx " +
    "sra srta sres ud uds p.ej lic " +
    "mme mlle mgr c.-à-d p.ex mm " +
    "hr z.b d.h bzw ggf inkl vgl evtl s.o s.u z.t u.u i.d.r o.ä sog geb " +
    "sig sig.ra sig.na dott dott.ssa ing avv prof.ssa egr gent " +
    "dra exmo exma prof.ª sr.ª " +
    "डॉ प्रो श्री रु",
);

/** Those that a sentence may end with: what follows decides. */
const sometimes = set(
  "etc inc ltd co corp jr sr st ave blvd rd dept a.m p.m ph.d m.d " +
    "ee uu a.c d.c s.a s.l av apdo " +
    "j.-c av.j.-c apr " +
    "usw u.a o.g n.chr v.chr str fr mio mrd jh jhd " +
    "ecc s.p.a " +
    "ltda",
);

/** Abbreviations before a number, words of their own elsewhere: "No. 5", but "Oh no." */
const beforeNumber = set(
  "no nr nº n.º núm num n vol fig p pp s pág pag art sec sez ch ca est max min bd kap abb tel",
);

/** After these words, a word that is none of the above is an abbreviation as well: "por ej.", "per es." */
const pairs = new Map([
  ["ej", set("p. por")],
  ["ex", set("p. par por")],
  ["es", set("per ad")],
]);

/** Before a number with a full stop these make it an ordinal: "der 1. Weltkrieg". */
const beforeOrdinal = set(
  "der die das den dem des vom zum zur beim im jeder jede jedes jeden ihr sein mein unser",
);
/** And so do these after it: "am 1. Januar". */
const afterOrdinal = set(
  "januar jänner februar märz april mai juni juli august september oktober november dezember " +
    "jahrhundert jahrhunderts jahrhunderte jahrtausend weltkrieg klasse stock platz mal kapitel geburtstag advent " +
    "bundesliga liga etage semester quartal halbjahr tag woche monat jahr auflage band teil",
);

/** Words that begin sentences, so that what is before them may have been the end of one. */
const beginners = set(
  "a an the i you he she it we they this that these those there then but and so or if when what who how why where " +
    "my your his her our their in on at no yes well now let let's please do does did is are was were can could would " +
    "will it's i'm he's she's that's there's we're they're you're i've after before because although however " +
    "el la los las un una yo tú él ella nosotros ellos es no sí pero y si cuando qué quién cómo por para en con esto eso " +
    "le les une je il elle nous vous ils elles on mais et puis alors ce c'est cela ça si quand qui comment pourquoi " +
    "der die das ein eine er sie es wir ich ihr und aber dann wenn was wer wie warum wo ja nein in im am auf doch also " +
    "lo gli uno io lui lei noi voi loro ma e se quando che chi come perché dove poi è questo " +
    "o os as um uma eu ele ela nós eles elas mas quando quem como porque onde então isso isto",
);

export type Verdict = "inner" | "end" | "look";

const cased = /\p{Ll}/u;
const capital = /\p{Lu}/u;
const digit = /\p{Nd}/u;
const letter = /\p{L}/u;
const dotted = /^(?:\p{L}\.)+\p{L}$/u;
const oneLetter = /^\p{L}\p{M}*$/u;
/** Letters no word can be said with, in a script that has vowels. */
const voiceless = /^[b-df-hj-np-tv-xz]{2,5}$/iu;

export interface StopContext {
  /** The word before the stop, quotes and all. */
  word: string;
  /** The word before that one, with its own stop. */
  before: string;
  /** Nothing but the word stands before the stop in its clause. */
  alone: boolean;
}

const bareOf = (word: string) => word.replace(/^["'“‘„«»([*_¿¡]+/u, "");

/** What one full stop, a space and a first character say; `look`: the next word must be known. */
export function judgeStop({ word, before, alone }: StopContext, next: string): Verdict {
  const bare = bareOf(word);
  const lower = bare.toLowerCase();
  if (/^\d{1,3}$/.test(bare)) {
    if (alone && bare.length < 3) return "inner";
    if (beforeOrdinal.has(bareOf(before).toLowerCase()) || cased.test(next)) return "inner";
    return capital.test(next) ? "look" : "end";
  }
  if (always.has(lower) || pairs.get(lower)?.has(before.toLowerCase())) return "inner";
  if (beforeNumber.has(lower) && digit.test(next)) return "inner";
  const single = oneLetter.test(bare) && /[\p{Lu}\p{Ll}]/u.test(bare);
  // The second half of "z. B." and its like.
  if (single && /^\p{Ll}\.$/u.test(bareOf(before))) return "inner";
  if (single || dotted.test(bare) || sometimes.has(lower)) {
    if (digit.test(next)) return single ? "end" : "inner";
    if (single && cased.test(bare)) return letter.test(next) ? "look" : "end";
    if (cased.test(next)) return "inner";
    return capital.test(next) ? "look" : "end";
  }
  return cased.test(next) && voiceless.test(bare) ? "inner" : "end";
}

/** The verdict once the next word is known, and the character after it. */
export function judgeByNext({ word }: StopContext, next: string, after: string): "inner" | "end" {
  const bare = bareOf(word);
  const lower = next.toLowerCase().replaceAll("’", "'");
  if (/^\d+$/.test(bare)) return afterOrdinal.has(lower) ? "inner" : "end";
  // "p. ej.", "z. B.", "d. h."
  if (/^\p{Ll}$/u.test(bare))
    return after === "." && next.length <= 3 ? "inner" : capital.test(next) ? "end" : "inner";
  return beginners.has(lower) && capital.test(next) ? "end" : "inner";
}
