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

export interface Hair {
  style: "long-waves" | "short-swept";
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
  clothes: Clothes;
  background: { light: Rgb; dark: Rgb };
}
