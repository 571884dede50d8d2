// What the words of a persona say of a person's looks. Nothing is guessed from what is not said: the seed decides that.

export type HairColour =
  | "black"
  | "dark-brown"
  | "brown"
  | "light-brown"
  | "auburn"
  | "red"
  | "blonde"
  | "platinum"
  | "grey"
  | "white"
  | "pink"
  | "blue"
  | "purple"
  | "green";
export type HairCut = "long" | "medium" | "bob" | "short" | "cropped" | "bald" | "tied" | "bun" | "afro";
export type EyeColour = "brown" | "dark" | "hazel" | "green" | "blue" | "grey" | "amber";
export type ColourName = keyof typeof colourWords;

/** What was asked for; what is absent was not mentioned. */
export interface Wishes {
  presentation?: "feminine" | "masculine" | "neutral";
  ageYears?: number;
  /** From the lightest, 0, to the darkest, 1. */
  skin?: readonly [from: number, to: number];
  eyeFold?: boolean;
  freckles?: boolean;
  hairColour?: HairColour;
  hairCut?: HairCut;
  hairTexture?: "straight" | "wavy" | "curly" | "coily";
  fringe?: boolean;
  eyeColour?: EyeColour;
  glasses?: "round" | "square" | false;
  beard?: "stubble" | "short" | "full" | "goatee" | "moustache" | false;
  clothes?: ColourName;
  neckline?: "v" | "crew";
  background?: ColourName | "warm" | "cool" | "dark" | "bright";
  /** From stern, 0, to smiling, 1. */
  smile?: number;
}

/** Plain colours, by what people call them. */
export const colourWords = {
  black: ["black"],
  white: ["white", "ivory", "cream"],
  grey: ["grey", "gray", "silver", "charcoal"],
  navy: ["navy"],
  blue: ["blue", "denim", "azure", "indigo"],
  teal: ["teal", "turquoise", "cyan"],
  green: ["green", "emerald", "mint"],
  olive: ["olive", "khaki"],
  yellow: ["yellow", "mustard", "golden", "gold"],
  orange: ["orange", "rust"],
  red: ["red", "crimson", "scarlet"],
  burgundy: ["burgundy", "maroon", "wine"],
  pink: ["pink", "rose", "coral"],
  purple: ["purple", "violet", "lilac", "lavender", "plum"],
  brown: ["brown", "tan", "chocolate"],
  beige: ["beige", "camel", "sand"],
} as const;

/** Things that adjectives stand before, by the words for them. */
const things = {
  hair: "hair haired hairstyle hairdo curls locks bob ponytail bun afro fringe bangs braids dreadlocks updo",
  eyes: "eyes eyed eye",
  skin: "skin skinned complexion complexioned",
  beard: "beard bearded stubble goatee moustache mustache shaven",
  glasses: "glasses spectacles eyeglasses",
  clothes:
    "shirt sweater jumper pullover blouse dress top tee hoodie jacket cardigan turtleneck suit coat uniform clothes " +
    "clothing outfit blazer tunic kurta sari scrubs polo vest robe gown sweatshirt tshirt wearing",
  background: "background backdrop wall studio setting",
} as const;
type Thing = keyof typeof things;

const thingOf = new Map(
  Object.entries(things).flatMap(([thing, words]) =>
    words.split(" ").map((word) => [word, thing as Thing] as const),
  ),
);
/** Words at which a description of one thing ends. */
const stops = new Set("with in wearing has having who but against before on".split(" "));

const words = (text: string) => new Set(text.split(" "));
const feminine = words(
  "woman women female lady girl mother mum mom grandmother grandma granny aunt wife daughter sister queen princess " +
    "actress waitress businesswoman saleswoman feminine she her hers frau femme mujer donna mulher",
);
const masculine = words(
  "man men male gentleman boy father dad grandfather grandpa uncle husband son brother king prince businessman " +
    "salesman fisherman masculine he him his mann homme hombre uomo homem",
);
const neutral = words("nonbinary androgynous genderless");

const ages: [RegExp, number][] = [
  [/\b(?:child|kid|toddler|boy|girl|teen|teens|teenage|teenager|adolescent)\b/, 19],
  [/\b(?:student|youthful|young)\b/, 24],
  [/\bmiddle aged\b/, 48],
  [/\b(?:mature|senior manager)\b/, 52],
  [/\b(?:grandmother|grandma|granny|grandfather|grandpa|retired|pensioner)\b/, 69],
  [/\b(?:elderly|aged|old|older|senior|elder)\b/, 70],
];
const decades = ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties"];
const numerals: Record<string, number> = {
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
};

/** People of working age and above: nobody is drawn as a child, or older than paint can show. */
const limitAge = (years: number) => Math.min(85, Math.max(19, years));

function ageIn(text: string): number | undefined {
  const spelled = /\b(twenty|thirty|forty|fifty|sixty|seventy|eighty)\b/.exec(text);
  const figure = /\b(\d{1,2}) ?(?:year|years|yo|y o)\b|\b(?:aged|age) (?:of )?(\d{1,2})\b/.exec(text);
  if (figure) return limitAge(Number(figure[1] ?? figure[2]));
  const decade = new RegExp(`\\b(early|mid|late)? ?(${decades.join("|")}|[2-8]0s)\\b`).exec(text);
  if (decade) {
    const [, part, name = ""] = decade;
    const named = decades.indexOf(name);
    const start = named < 0 ? Number.parseInt(name, 10) : 20 + 10 * named;
    return start + (part === "early" ? 2 : part === "late" ? 8 : 5);
  }
  if (spelled && /\byear|\bold\b/.test(text)) return numerals[spelled[1] ?? ""];
  return ages.find(([pattern]) => pattern.test(text))?.[1];
}

/** Where most people's ancestors lived decides no looks, but somebody who names a place has some in mind. */
const origins: [RegExp, Pick<Wishes, "skin" | "eyeFold" | "hairColour" | "hairTexture">][] = [
  [
    /\b(?:african|nigerian|kenyan|ghanaian|senegalese|ethiopian|somali|congolese|jamaican|haitian|black (?:man|woman|person|lady|guy))\b/,
    { skin: [0.66, 1], hairColour: "black", hairTexture: "coily" },
  ],
  [
    /\b(?:chinese|japanese|korean|taiwanese|mongolian|east asian|vietnamese|thai|filipino|filipina|asian)\b/,
    { skin: [0.12, 0.4], eyeFold: true, hairColour: "black", hairTexture: "straight" },
  ],
  [
    /\b(?:indian|pakistani|bangladeshi|sri lankan|south asian|tamil|nepali)\b/,
    { skin: [0.42, 0.72], hairColour: "black" },
  ],
  [
    /\b(?:mexican|brazilian|colombian|peruvian|latina|latino|hispanic|latin american)\b/,
    { skin: [0.25, 0.58], hairColour: "dark-brown" },
  ],
  [
    /\b(?:arab|arabic|egyptian|moroccan|lebanese|persian|iranian|turkish|middle eastern|israeli)\b/,
    { skin: [0.22, 0.5], hairColour: "black" },
  ],
  [
    /\b(?:swedish|norwegian|danish|finnish|scandinavian|nordic|icelandic|irish|scottish|dutch)\b/,
    { skin: [0, 0.12] },
  ],
  [
    /\b(?:italian|spanish|greek|portuguese|mediterranean)\b/,
    { skin: [0.14, 0.36], hairColour: "dark-brown" },
  ],
  [
    /\b(?:maori|samoan|hawaiian|polynesian|aboriginal|indigenous)\b/,
    { skin: [0.4, 0.75], hairColour: "black" },
  ],
];

type Choice<T> = readonly [RegExp, T];
const choose = <T>(text: string, choices: readonly Choice<T>[]): T | undefined =>
  choices.find(([pattern]) => pattern.test(text))?.[1];

const hairColours: Choice<HairColour>[] = [
  [/\b(?:salt and pepper|grey|gray|silver|greying|graying)\b/, "grey"],
  [/\bwhite\b/, "white"],
  [/\bplatinum\b/, "platinum"],
  [/\b(?:blonde|blond|fair|golden|flaxen|honey)\b/, "blonde"],
  [/\b(?:auburn|mahogany|reddish)\b/, "auburn"],
  [/\b(?:red|ginger|copper|strawberry)\b/, "red"],
  [/\b(?:jet|black|raven|ebony)\b/, "black"],
  [/\b(?:light|sandy|caramel) brown\b/, "light-brown"],
  [/\bdark\b/, "dark-brown"],
  [/\b(?:brown|brunette|chestnut|chocolate)\b/, "brown"],
  [/\bpink\b/, "pink"],
  [/\b(?:blue|turquoise|teal)\b/, "blue"],
  [/\b(?:purple|violet|lavender)\b/, "purple"],
  [/\bgreen\b/, "green"],
];
const hairCuts: Choice<HairCut>[] = [
  [/\b(?:bald|balding|hairless)\b/, "bald"],
  [/\b(?:shaved|buzz|buzzcut|cropped|clipped|crew cut)\b/, "cropped"],
  [/\bafro\b/, "afro"],
  [/\b(?:bun|topknot|updo|chignon)\b/, "bun"],
  [/\b(?:tied|ponytail|pulled back|combed back|braids|braided|dreadlocks)\b/, "tied"],
  [/\b(?:bob|chin length)\b/, "bob"],
  [/\b(?:shoulder|medium)\b/, "medium"],
  [/\b(?:short|pixie)\b/, "short"],
  [/\blong\b/, "long"],
];
const textures: Choice<NonNullable<Wishes["hairTexture"]>>[] = [
  [/\b(?:afro|coily|kinky|frizzy|coiled)\b/, "coily"],
  [/\b(?:curly|curls|curled|ringlets)\b/, "curly"],
  [/\b(?:wavy|waves)\b/, "wavy"],
  [/\b(?:straight|sleek)\b/, "straight"],
];
const eyeColours: Choice<EyeColour>[] = [
  [/\bhazel\b/, "hazel"],
  [/\b(?:green|emerald)\b/, "green"],
  [/\bblue\b/, "blue"],
  [/\b(?:grey|gray)\b/, "grey"],
  [/\b(?:amber|golden|honey)\b/, "amber"],
  [/\b(?:dark|black)\b/, "dark"],
  [/\bbrown\b/, "brown"],
];
const skins: Choice<readonly [number, number]>[] = [
  [/\b(?:very dark|ebony|deep)\b/, [0.88, 1]],
  [/\b(?:pale|porcelain|ivory|very fair|very light)\b/, [0, 0.05]],
  [/\b(?:light|medium) brown\b/, [0.42, 0.55]],
  [/\b(?:fair|light|rosy|white|pink)\b/, [0.04, 0.14]],
  [/\b(?:dark|black)\b/, [0.74, 0.95]],
  [/\bbrown\b/, [0.55, 0.72]],
  [/\b(?:olive|tan|tanned|bronze|bronzed|golden|sun)\b/, [0.26, 0.42]],
];
const beards: Choice<NonNullable<Wishes["beard"]>>[] = [
  [/\bgoatee\b/, "goatee"],
  [/\b(?:stubble|stubbly|unshaven)\b/, "stubble"],
  [/\b(?:full|long|big|bushy|thick)\b.*\b(?:beard|bearded)\b/, "full"],
  [/\b(?:beard|bearded)\b/, "short"],
  [/\b(?:moustache|mustache)\b/, "moustache"],
];
const moods: Choice<NonNullable<Wishes["background"]>>[] = [
  [/\b(?:dark|moody|dramatic|night)\b/, "dark"],
  [/\b(?:bright|light|airy|sunny)\b/, "bright"],
  [/\b(?:warm|cosy|cozy|homely)\b/, "warm"],
  [/\b(?:cool|cold|clinical|modern)\b/, "cool"],
];
const colours = Object.entries(colourWords).map(([name, list]): Choice<ColourName> => [
  new RegExp(`\\b(?:${list.join("|")})\\b`),
  name as ColourName,
]);
const smiles: Choice<number>[] = [
  [/\b(?:serious|stern|strict|grave|solemn|unsmiling|grumpy)\b/, 0],
  [/\b(?:smiling|smile|smiles|cheerful|joyful|happy|laughing|bubbly)\b/, 1],
  [/\b(?:friendly|warm|kind|welcoming|gentle|caring|approachable)\b/, 0.8],
];

const denied = /\b(?:no|without|not|never|clean|isnt|doesnt)\b/;

/** The words around each mention of a thing: what stands before it, and after "is" or "are". */
function mentionsOf(list: readonly string[]): Map<Thing, string> {
  const found = new Map<Thing, string[]>();
  list.forEach((word, at) => {
    const thing = thingOf.get(word);
    if (!thing) return;
    const about = [word];
    for (let i = at - 1; i >= Math.max(0, at - 6); i--) {
      const before = list[i] ?? "";
      const other = thingOf.get(before);
      if (before === "|" || (stops.has(before) && before !== "with") || (other && other !== thing)) break;
      if (before === "with") break;
      about.unshift(before);
    }
    const next = list[at + 1] ?? "";
    const tells = ["is", "are", "was", "were", "tied", "pulled", "in"].includes(next);
    if (tells && !(next === "in" && thing !== "hair")) {
      for (const after of list.slice(at + 1, at + 6)) {
        if (after === "|" || after === "and" || thingOf.has(after)) break;
        about.push(after);
      }
    }
    // "Wearing black" has no garment: the words after it are about clothes all the same.
    if (word === "wearing") {
      for (const after of list.slice(at + 1, at + 4)) {
        const other = thingOf.get(after);
        if (after === "|" || (other && other !== "clothes")) {
          about.length = 0;
          break;
        }
        about.push(after);
      }
    }
    found.set(thing, [...(found.get(thing) ?? []), ...about]);
  });
  return new Map([...found].map(([thing, about]) => [thing, about.join(" ")]));
}

function presentationIn(list: readonly string[], text: string): Wishes["presentation"] {
  if (/\bnon binary\b|\bgender neutral\b/.test(text) || list.some((word) => neutral.has(word)))
    return "neutral";
  const she = list.filter((word) => feminine.has(word)).length;
  const he = list.filter((word) => masculine.has(word)).length;
  if (she === he) return undefined;
  return she > he ? "feminine" : "masculine";
}

function hairWishes(about: string, text: string): Wishes {
  return {
    hairColour: choose(about, hairColours) ?? choose(text, wholeTextHair),
    hairCut: choose(about, hairCuts) ?? (/\b(?:bald|balding)\b/.test(text) ? "bald" : undefined),
    hairTexture: choose(about, textures),
    fringe: /\b(?:fringe|bangs)\b/.test(about) ? !denied.test(about) : undefined,
  };
}

/** Words that name a head of hair without saying "hair". */
const wholeTextHair: Choice<HairColour>[] = [
  [/\b(?:redhead|redheaded|ginger)\b/, "red"],
  [/\bbrunette\b/, "brown"],
  [/\b(?:blonde|blond)\b/, "blonde"],
  [/\b(?:grey|gray|silver) haired\b/, "grey"],
];

function beardWish(about: string | undefined): Wishes["beard"] {
  if (about === undefined) return undefined;
  return denied.test(about) || /\bshaven\b/.test(about) ? false : choose(about, beards);
}

function glassesWish(about: string | undefined): Wishes["glasses"] {
  if (about === undefined) return undefined;
  if (denied.test(about)) return false;
  return /\bround\b/.test(about) ? "round" : "square";
}

/** Reads a description in English; what other languages say beyond a few words for people is left to the seed. */
export function readPersona(persona: string): Wishes {
  const spaced = persona
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f'’]/g, "")
    .replaceAll(/[.;:!?()\n]+/g, " | ")
    .replaceAll(/[^a-z0-9|]+/g, " ");
  const list = spaced.split(" ").filter((word) => word !== "");
  const text = list.join(" ");
  const about = mentionsOf(list);
  const hair = about.get("hair") ?? "";
  const skin = about.get("skin");
  const clothes = about.get("clothes") ?? "";
  const background = about.get("background") ?? "";
  const origin = choose(text, origins) ?? {};
  const wishes: Wishes = {
    ...origin,
    presentation: presentationIn(list, text),
    ageYears: ageIn(text),
    freckles: /\bfreckle[sd]?\b/.test(text) || undefined,
    beard: beardWish(about.get("beard")),
    glasses: glassesWish(about.get("glasses")),
    eyeColour: choose(about.get("eyes") ?? "", eyeColours),
    clothes: choose(clothes, colours),
    neckline: /\bv neck|blouse\b/.test(text)
      ? "v"
      : /\b(?:turtleneck|crew neck|tee|hoodie)\b/.test(clothes)
        ? "crew"
        : undefined,
    background: choose(background, colours) ?? choose(background, moods) ?? choose(text, moods.slice(2)),
    smile: choose(text, smiles),
  };
  const said = { skin: skin === undefined ? undefined : choose(skin, skins), ...hairWishes(hair, text) };
  return Object.assign(
    wishes,
    ...Object.entries(said).flatMap(([key, value]) => (value === undefined ? [] : [{ [key]: value }])),
  );
}
