// Finds the person a description asks for: what it says is kept to, and the seed decides the rest.

import { fromHex } from "./canvas.ts";
import { clamp, createRandom, mix, smoothstep } from "./maths.ts";
import { cloth, eyeColours, hairColours, mixRgb, paintedWall, skinColours, walls } from "./palette.ts";
import type { Beard, Hair, LongCut, Person } from "./person.ts";
import { readPersona } from "./words.ts";
import type { ColourName, EyeColour, HairColour, HairCut, Wishes } from "./words.ts";

/** Numbers for one trait each: a word that settles one trait leaves the others as they were. */
interface Dice {
  number(trait: string, from: number, to: number): number;
  chance(trait: string, probability: number): boolean;
  pick<T>(trait: string, choices: readonly T[]): T;
}

/** FNV-1a of a trait's name, so that each has its own stream of the seed. */
function traitSeed(seed: number, trait: string): number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = 0; i < trait.length; i++) h = Math.imul(h ^ trait.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

function createDice(seed: number): Dice {
  const roll = (trait: string) => createRandom(traitSeed(seed, trait))();
  return {
    number: (trait, from, to) => mix(from, to, roll(trait)),
    chance: (trait, probability) => roll(trait) < probability,
    pick: (trait, choices) => choices[Math.floor(roll(trait) * choices.length)]!,
  };
}

/** Wishes with the gaps filled that everything else hangs on. */
interface Cast extends Wishes {
  dice: Dice;
  /** 0 feminine to 1 masculine: where the proportions lie. */
  masculinity: number;
  feminine: boolean;
  years: number;
  skinDepth: number;
  colour: HairColour;
  cut: HairCut;
  texture: NonNullable<Wishes["hairTexture"]>;
}

function hairColourFor(
  wishes: Wishes,
  { dice, years, skinDepth }: Pick<Cast, "dice" | "years" | "skinDepth">,
): HairColour {
  if (wishes.hairColour && !(wishes.hairColour === "black" && years > 68)) return wishes.hairColour;
  const greying = smoothstep(42, 74, years);
  if (dice.chance("greying", greying)) return years > 66 && dice.chance("white", 0.5) ? "white" : "grey";
  const dark: HairColour[] = ["black", "black", "dark-brown"];
  const mid: HairColour[] = ["black", "dark-brown", "dark-brown", "brown"];
  const light: HairColour[] = [
    "dark-brown",
    "brown",
    "brown",
    "light-brown",
    "blonde",
    "blonde",
    "auburn",
    "red",
  ];
  return dice.pick("hair-colour", skinDepth > 0.6 ? dark : skinDepth > 0.3 ? mid : light);
}

function cutFor(wishes: Wishes, cast: Pick<Cast, "dice" | "feminine" | "years" | "texture">): HairCut {
  const { dice, feminine, years, texture } = cast;
  if (wishes.hairCut) return wishes.hairCut;
  if (wishes.fringe) return dice.pick("fringe-cut", ["long", "medium", "bob"]);
  if (feminine) {
    if (texture === "coily") return dice.pick("cut", ["afro", "afro", "bun", "tied", "long"]);
    return dice.pick(
      "cut",
      years > 62 ? ["bob", "medium", "bun", "tied"] : ["long", "long", "medium", "bob", "tied", "bun"],
    );
  }
  if (texture === "coily") return dice.pick("cut", ["afro", "cropped", "cropped"]);
  return dice.chance("balding", 0.3 * smoothstep(35, 70, years))
    ? "bald"
    : dice.pick("cut", ["short", "short", "short", "cropped"]);
}

/** Skin that was not mentioned goes with the hair and eyes that were, as it mostly does. */
function skinBeside({ hairColour, eyeColour }: Wishes): readonly [number, number] {
  if (hairColour === "blonde" || hairColour === "red" || hairColour === "auburn") return [0, 0.32];
  if (eyeColour === "blue" || eyeColour === "green" || eyeColour === "grey") return [0, 0.42];
  return [0, 0.96];
}

function cast(wishes: Wishes, seed: number): Cast {
  const dice = createDice(seed);
  const presentation =
    wishes.presentation ??
    (wishes.beard ? "masculine" : dice.pick("presentation", ["feminine", "masculine"] as const));
  const masculinity =
    presentation === "neutral"
      ? dice.number("masculinity", 0.35, 0.65)
      : presentation === "feminine"
        ? dice.number("masculinity", 0, 0.2)
        : dice.number("masculinity", 0.78, 1);
  const feminine = masculinity < 0.5;
  const years = wishes.ageYears ?? dice.number("age", 22, 58);
  const [lightest, darkest] = wishes.skin ?? skinBeside(wishes);
  const skinDepth = mix(lightest, darkest, dice.number("skin", 0, 1) ** 1.3);
  const unsaid = skinDepth > 0.7 ? (["coily"] as const) : (["straight", "wavy", "wavy", "curly"] as const);
  const texture = wishes.hairTexture ?? (wishes.hairCut === "afro" ? "coily" : dice.pick("texture", unsaid));
  const facts = { dice, feminine, years, skinDepth, texture };
  return {
    ...wishes,
    ...facts,
    presentation,
    masculinity,
    colour: hairColourFor(wishes, facts),
    cut: cutFor(wishes, facts),
  };
}

function faceOf({ dice, masculinity: m, years, skinDepth, eyeFold, smile }: Cast): Person["face"] {
  const age = smoothstep(45, 80, years);
  const wide = dice.number("face-width", -1, 1);
  const long = dice.number("face-length", -1, 1);
  const full = dice.number("lip-fullness", -1, 1) + (skinDepth > 0.6 ? 0.7 : 0) - 0.6 * age;
  const fold = eyeFold ?? dice.chance("eye-fold", 0.12);
  const lipScale = 1 + 0.15 * full;
  return {
    cheekHalfWidth: mix(65.2, 68.6, m) + 2.8 * wide,
    jawHalfWidth: mix(52, 61, m) + 3.2 * dice.number("jaw", -1, 1) + 1.4 * wide,
    chinSquareness: clamp(mix(0.12, 0.62, m) + dice.number("chin-square", -0.2, 0.3)),
    chinY: mix(103, 110, m) + 3.6 * long,
    browRidge: mix(1.3, 2.9, m) + dice.number("ridge", -0.3, 0.4),
    cheekbone: mix(4, 3.1, m) + dice.number("cheekbone", -0.6, 1.2),
    noseWidth:
      mix(0.95, 1.05, m) + dice.number("nose-width", -0.12, 0.14) + 0.16 * smoothstep(0.5, 0.9, skinDepth),
    noseLength: mix(39.4, 42.5, m) + dice.number("nose-length", -2.4, 2.6),
    noseHeight: mix(0.9, 1.03, m) + dice.number("nose-height", -0.16, 0.16) - (fold ? 0.06 : 0),
    mouthHalfWidth: mix(25.6, 26.6, m) + dice.number("mouth-width", -2, 2.6),
    upperLip: mix(7, 6.1, m) * lipScale,
    lowerLip: mix(8.6, 8.3, m) * lipScale,
    lipVolume: clamp(mix(0.75, 0.85, m) + 0.1 * full, 0.5, 1.1),
    pupilX: mix(31.2, 32, m) + dice.number("eye-distance", -1, 1.5),
    eyeHalfWidth: mix(16.2, 15.6, m) + dice.number("eye-width", -0.9, 0.8),
    upperOpening: mix(5.4, 4.9, m) - (fold ? 0.7 : 0) - 0.5 * age + dice.number("eye-opening", -0.45, 0.4),
    lowerOpening: mix(5.4, 5.1, m) - (fold ? 0.6 : 0),
    creaseGap: (fold ? 1.1 : mix(3.4, 2.6, m)) + dice.number("crease", -0.8, 1) - 0.6 * age,
    neckHalfWidth: mix(42, 52, m) + dice.number("neck", -1, 2),
    shoulderHalfWidth: mix(164, 200, m) + dice.number("shoulders", -6, 8),
    smile: 0.5 + 2.3 * (smile ?? dice.number("smile", 0.3, 0.9)),
    eyeTilt: (fold ? 1 : 0) + dice.number("eye-tilt", -0.7, 1.1),
  };
}

function longCut({ dice, cut, texture, fringe, skinDepth }: Cast): LongCut {
  const wave = { straight: 0.12, wavy: 0.9, curly: 1.35, coily: 1.5 }[texture];
  const reach = cut === "bob" ? 0.63 : cut === "medium" ? 0.79 : 1;
  return {
    reach: reach + dice.number("reach", -0.03, 0.03),
    wave,
    turns: { straight: 1, wavy: 1, curly: 2.3, coily: 3.1 }[texture],
    partingX: dice.pick("parting", [-16, -8, 5, 8, 15]),
    volume: { straight: 0, wavy: 2, curly: 6, coily: 9 }[texture] * (skinDepth > 0.6 ? 1.1 : 1),
    fringe: fringe ?? dice.chance("fringe", 0.16),
  };
}

function hairOf(person: Cast): Hair {
  const { dice, cut, colour, texture, years, feminine, masculinity } = person;
  const colours = hairColours[colour];
  const age = smoothstep(35, 70, years);
  const recession = feminine ? 0 : dice.number("recession", 0, 5) + 13 * age * dice.number("receding", 0, 1);
  switch (cut) {
    case "bald":
      return { ...colours, style: "bald", recession: 2 };
    case "cropped":
      return { ...colours, style: "cropped", recession };
    case "afro":
      return {
        ...colours,
        style: "coils",
        recession,
        coils: feminine
          ? { volume: dice.number("afro", 18, 30), downTo: dice.number("afro-down", 20, 62) }
          : { volume: dice.number("afro", 5, 17), downTo: -6 },
      };
    case "bun":
    case "tied":
      return { ...colours, style: "tied-back", bun: cut === "bun" };
    case "short":
      if (texture === "coily" || texture === "curly") {
        return {
          ...colours,
          style: "coils",
          recession,
          coils: { volume: texture === "curly" ? 11 : 6, downTo: feminine ? 8 : -8 },
        };
      }
      return {
        ...colours,
        style: masculinity < 0.3 || dice.chance("swept", 0.8) ? "short-swept" : "cropped",
        recession,
      };
    case "long":
    case "medium":
    case "bob":
      return { ...colours, style: "long-waves", long: longCut(person) };
  }
}

function beardOf({ dice, beard, feminine, years }: Cast): { stubble: number; beard?: Beard } {
  const unsaid = feminine ? 0 : dice.number("stubble", -0.5, 0.55) * smoothstep(17, 26, years);
  switch (beard) {
    case undefined:
      return { stubble: Math.max(0, unsaid) };
    case false:
      return { stubble: 0 };
    case "stubble":
      return { stubble: 0.8 };
    case "short":
      return { stubble: 0.7, beard: { lengthMm: 4.5, density: 0.85, reach: "full" } };
    case "full":
      return { stubble: 0.8, beard: { lengthMm: 10, density: 1, reach: "full" } };
    case "moustache":
      return { stubble: 0.1, beard: { lengthMm: 7, density: 1, reach: "moustache" } };
    case "goatee":
      return { stubble: 0.2, beard: { lengthMm: 5, density: 0.9, reach: "goatee" } };
  }
}

function browsOf({ dice, masculinity: m, colour, years }: Cast): Person["brows"] {
  const { dark, mid } = hairColours[colour];
  const pale = colour === "platinum" || colour === "white";
  const dyed = ["pink", "blue", "purple", "green"].includes(colour);
  return {
    colour: dyed ? fromHex("#2a1a12") : mixRgb(dark, mid, pale ? 0.4 : 0.55),
    thicknessMm: mix(5.6, 7.2, m) + dice.number("brow-thickness", -0.6, 0.8),
    y: mix(-20.2, -19.6, m) + dice.number("brow-height", -1.2, 0.8),
    arch: mix(4, 2.8, m) + dice.number("brow-arch", -0.8, 0.8),
    density: mix(0.95, 1.12, m) * mix(1, 0.75, smoothstep(55, 80, years)),
  };
}

function eyeColourFor({ dice, skinDepth, colour }: Cast): EyeColour {
  if (skinDepth > 0.55) return dice.pick("eyes", ["dark", "dark", "brown"]);
  if (skinDepth > 0.28 || colour === "black")
    return dice.pick("eyes", ["brown", "brown", "dark", "hazel", "amber"]);
  return dice.pick("eyes", ["brown", "brown", "hazel", "green", "blue", "blue", "grey"]);
}

function backgroundOf({ dice, background }: Cast): Person["background"] {
  const mood = background ?? dice.pick("mood", ["warm", "cool", "warm", "cool", "bright"] as const);
  return mood in walls
    ? dice.pick("wall", walls[mood as keyof typeof walls])
    : paintedWall(mood as ColourName);
}

/** The person of a description. The same words and seed, 0 to 2^32 - 1, are the same person. */
export function castPerson(persona: string, seed: number): Person {
  const chosen = cast(readPersona(persona), seed);
  const { dice, masculinity: m, years, skinDepth, feminine } = chosen;
  const { stubble, beard } = beardOf(chosen);
  const names = Object.keys(cloth) as ColourName[];
  const clothColour = cloth[chosen.clothes ?? dice.pick("clothes", names)];
  const neckline = chosen.neckline ?? (dice.chance("neckline", mix(0.65, 0.25, m)) ? "v" : "crew");
  const rimColours = ["#16120f", "#3a2416", "#22262c"];
  return {
    name: "",
    seed: seed % 100_003,
    tilt: dice.number("tilt", -0.022, 0.022),
    face: faceOf(chosen),
    skin: {
      ...skinColours(skinDepth),
      blush: dice.number("blush", 0.6, 0.95) * mix(1, 0.6, skinDepth),
      freckles: chosen.freckles ? 0.9 : dice.number("freckles", 0.02, 0.2) * (1 - skinDepth),
      stubble,
      shine: dice.number("shine", 0.75, 0.88),
      lines: 0.95 * smoothstep(32, 76, years),
    },
    eyes: {
      ...eyeColours[chosen.eyeColour ?? eyeColourFor(chosen)],
      lashLengthMm: mix(6.4, 4.3, m),
      lashes: Math.round(mix(92, 60, m)),
    },
    brows: browsOf(chosen),
    hair: hairOf(chosen),
    ...(beard && { beard }),
    ...(chosen.glasses && {
      glasses: { shape: chosen.glasses, colour: fromHex(dice.pick("rims", rimColours)) },
    }),
    clothes: {
      neckline,
      colour: clothColour,
      trim: mixRgb(clothColour, [0.5, 0.5, 0.5], 0.1),
      neckY: neckline === "v" ? dice.number("neck-depth", 172, 184) : feminine ? 158 : 153,
    },
    background: backgroundOf(chosen),
  };
}
