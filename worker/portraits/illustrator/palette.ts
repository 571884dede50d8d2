// Colours that people, their clothes and their walls come in.

import { fromHex } from "./canvas.ts";
import type { Rgb } from "./canvas.ts";
import { clamp, mix } from "./maths.ts";
import type { Hair, Skin } from "./person.ts";
import type { ColourName, EyeColour, HairColour } from "./words.ts";

type SkinColours = Pick<Skin, "base" | "blood" | "lips">;

/** From the lightest skin to the darkest, evenly spaced. */
const skins: readonly SkinColours[] = (
  [
    ["#dfb59e", "#d86a55", "#c4817a"],
    ["#d3a389", "#d2604a", "#bf7c70"],
    ["#c3906f", "#c9593f", "#b06a5c"],
    ["#ac7a5d", "#c0543c", "#a04c46"],
    ["#936146", "#a8452f", "#8d463d"],
    ["#754a35", "#8c3a27", "#773a34"],
    ["#5b3828", "#6f2f20", "#612f2b"],
    ["#46291e", "#562519", "#4e2724"],
  ] as const
).map(([base, blood, lips]) => ({ base: fromHex(base), blood: fromHex(blood), lips: fromHex(lips) }));

export const mixRgb = (a: Rgb, b: Rgb, t: number): Rgb => [
  mix(a[0], b[0], t),
  mix(a[1], b[1], t),
  mix(a[2], b[2], t),
];

/** Skin between the lightest, 0, and the darkest, 1. */
export function skinColours(depth: number): SkinColours {
  const at = clamp(depth) * (skins.length - 1);
  const from = Math.min(skins.length - 2, Math.floor(at));
  const [a, b] = [skins[from]!, skins[from + 1]!];
  const t = at - from;
  return {
    base: mixRgb(a.base, b.base, t),
    blood: mixRgb(a.blood, b.blood, t),
    lips: mixRgb(a.lips, b.lips, t),
  };
}

type HairColours = Pick<Hair, "dark" | "mid" | "shine">;
const hair = (dark: string, mid: string, shine: string): HairColours => ({
  dark: fromHex(dark),
  mid: fromHex(mid),
  shine: fromHex(shine),
});

export const hairColours: Record<HairColour, HairColours> = {
  black: hair("#060506", "#151213", "#5e5a60"),
  "dark-brown": hair("#0d0706", "#2a160e", "#9a6240"),
  brown: hair("#170d08", "#42291a", "#a87b50"),
  "light-brown": hair("#2a1a10", "#6a4a2e", "#c39a68"),
  auburn: hair("#1a0805", "#50200f", "#b0653a"),
  red: hair("#331007", "#8a3a16", "#d98a4e"),
  blonde: hair("#4a341c", "#a8844e", "#e6cb94"),
  platinum: hair("#7a6c55", "#cdbf9f", "#f4ead2"),
  grey: hair("#2e2d2e", "#7b797a", "#c6c5c7"),
  white: hair("#6f6e70", "#bdbbbc", "#efeeef"),
  pink: hair("#571631", "#c0567f", "#f0a9c4"),
  blue: hair("#0a1838", "#27508f", "#86aee0"),
  purple: hair("#220d38", "#5a3190", "#b08ae0"),
  green: hair("#08261b", "#21684a", "#84c9a4"),
};

export const eyeColours: Record<EyeColour, { iris: Rgb; irisInner: Rgb }> = {
  dark: { iris: fromHex("#26140c"), irisInner: fromHex("#452614") },
  brown: { iris: fromHex("#4a2a16"), irisInner: fromHex("#8a5426") },
  amber: { iris: fromHex("#7a4a18"), irisInner: fromHex("#b9822e") },
  hazel: { iris: fromHex("#56502c"), irisInner: fromHex("#8f6430") },
  green: { iris: fromHex("#3f5d3c"), irisInner: fromHex("#86803f") },
  blue: { iris: fromHex("#3a6286"), irisInner: fromHex("#7fa2b4") },
  grey: { iris: fromHex("#56656e"), irisInner: fromHex("#93999a") },
};

/** Cloth, as it looks in daylight. */
export const cloth: Record<ColourName, Rgb> = {
  black: fromHex("#1b1b1f"),
  white: fromHex("#b4b1ab"),
  grey: fromHex("#5d6066"),
  navy: fromHex("#26344f"),
  blue: fromHex("#33588c"),
  teal: fromHex("#1f5a5c"),
  green: fromHex("#2d5d40"),
  olive: fromHex("#565a34"),
  yellow: fromHex("#9c7630"),
  orange: fromHex("#96502a"),
  red: fromHex("#842a2c"),
  burgundy: fromHex("#5c2231"),
  pink: fromHex("#a86c76"),
  purple: fromHex("#4a3760"),
  brown: fromHex("#57402f"),
  beige: fromHex("#92806a"),
};

interface Wall {
  light: Rgb;
  dark: Rgb;
}
const wall = (light: string, dark: string): Wall => ({ light: fromHex(light), dark: fromHex(dark) });

/** What a room is lit like, several of each, so that two portraits in one mood still differ. */
export const walls: Record<"warm" | "cool" | "dark" | "bright", readonly Wall[]> = {
  warm: [
    wall("#c9b8a6", "#6d5c52"),
    wall("#bdb49a", "#605a44"),
    wall("#cbb294", "#755c46"),
    wall("#c7a99b", "#6b4f49"),
  ],
  cool: [
    wall("#b4bdc4", "#56616b"),
    wall("#aebfb4", "#4c5f55"),
    wall("#a9bac0", "#4b5f68"),
    wall("#b3b6c6", "#575a70"),
  ],
  dark: [wall("#5d5c63", "#232329"), wall("#635a54", "#27221f"), wall("#4d5a60", "#1d2529")],
  bright: [wall("#e3e2de", "#a9a8a4"), wall("#dfe4e6", "#a3abb0"), wall("#e8e0d4", "#b3a897")],
};

/** A painted wall of a named colour: paler than cloth where the light falls. */
export function paintedWall(name: ColourName): Wall {
  const colour = cloth[name];
  return { light: mixRgb(colour, [0.72, 0.7, 0.68], 0.5), dark: mixRgb(colour, [0.02, 0.02, 0.02], 0.45) };
}
