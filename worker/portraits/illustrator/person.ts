import type { Rgb } from "./canvas.ts";

/** Proportions of one face, in millimetres or as factors around 1 of the average adult (Farkas 1994). */
export interface FaceShape {
  /** Half widths of the head at the cheekbones and at the angle of the jaw, mm. */
  cheekHalfWidth: number;
  jawHalfWidth: number;
  /** How square the chin is: 0 pointed, 1 square. */
  chinSquareness: number;
  chinY: number;
  browRidge: number;
  cheekbone: number;
  noseWidth: number;
  noseLength: number;
  noseHeight: number;
  /** Half width of the mouth, and the red heights of the two lips, mm. */
  mouthHalfWidth: number;
  upperLip: number;
  lowerLip: number;
  lipVolume: number;
  /** Half the distance of the pupils, half the width of the eye fissure and its two half openings, mm. */
  pupilX: number;
  eyeHalfWidth: number;
  upperOpening: number;
  lowerOpening: number;
  creaseGap: number;
  neckHalfWidth: number;
  shoulderHalfWidth: number;
  /** How far the corners of the mouth are drawn up, mm. */
  smile?: number;
  /** How far the outer corners of the eyes stand above, or below, where they mostly stand, mm. */
  eyeTilt?: number;
}

export interface Skin {
  base: Rgb;
  /** Colour under the surface, which shows on cheeks, nose and ears. */
  blood: Rgb;
  lips: Rgb;
  blush: number;
  freckles: number;
  /** Density of beard stubble, 0 none. */
  stubble: number;
  shine: number;
  /** Depth of the lines that years leave, 0 to 1. */
  lines?: number;
}

/** A grown beard; stubble is the skin's. */
export interface Beard {
  lengthMm: number;
  /** Hairs for the area, around 1. */
  density: number;
  /** Where it grows: on cheeks and jaw too, around the mouth, or on the lip alone. */
  reach: "full" | "goatee" | "moustache";
}

export interface Glasses {
  shape: "round" | "square";
  colour: Rgb;
}

export interface Eyes {
  iris: Rgb;
  irisInner: Rgb;
  lashLengthMm: number;
  lashes: number;
}

export interface Brows {
  colour: Rgb;
  thicknessMm: number;
  y: number;
  arch: number;
  density: number;
}

/** What tells one head of long hair from another; without it, hair falls in waves to the chest. */
export interface LongCut {
  /** Where the hair ends: 1 at the chest, 0.62 at the chin. */
  reach: number;
  /** Depth of the waves, 0 straight, and how close they follow each other, both around 1. */
  wave: number;
  turns: number;
  /** x of the parting in face mm, and how much fuller than flat the hair lies, mm. */
  partingX: number;
  volume: number;
  fringe: boolean;
}

export interface Hair {
  style: "long-waves" | "short-swept" | "coils" | "tied-back" | "cropped" | "bald";
  long?: LongCut;
  /** How far the hairline has gone back, mm. */
  recession?: number;
  /** How far coils stand off the head, mm, and the height that they reach down to at the sides. */
  coils?: { volume: number; downTo: number };
  bun?: boolean;
  dark: Rgb;
  mid: Rgb;
  shine: Rgb;
}

export interface Clothes {
  neckline: "v" | "crew";
  colour: Rgb;
  trim: Rgb;
  /** Height of the neckline's lowest point, mm below the pupils. */
  neckY: number;
}

/** All that tells one portrait from another. */
export interface Person {
  name: string;
  seed: number;
  /** Roll of the head in radians, positive towards the picture's right. */
  tilt: number;
  face: FaceShape;
  skin: Skin;
  eyes: Eyes;
  brows: Brows;
  hair: Hair;
  beard?: Beard;
  glasses?: Glasses;
  clothes: Clothes;
  background: { light: Rgb; dark: Rgb };
}
