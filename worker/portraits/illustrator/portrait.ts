import { createFace } from "./anatomy.ts";
import { COLLAR_MM, createBody } from "./body.ts";
import type { Body } from "./body.ts";
import { blurMasked, blurPlane, createCanvas, toSrgbByte } from "./canvas.ts";
import type { Canvas, Rgb } from "./canvas.ts";
import { paintBeard } from "./beard.ts";
import { paintBrows } from "./brows.ts";
import { paintCoils } from "./coils.ts";
import { paintCropped } from "./cropped.ts";
import { eyeballAt, paintLashes } from "./eyes.ts";
import { paintFringe } from "./fringe.ts";
import { paintGlasses } from "./glasses.ts";
import type { HairCanvas } from "./hair.ts";
import { computeOpenness, computeShadow, diffuse, specular, studio } from "./lighting.ts";
import { paintBackHair, paintFrontHair } from "./long-waves.ts";
import { bump, clamp, hash, mix, noise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import type { Person } from "./person.ts";
import { CLOTH, createView, EAR, EYEBALL, HEAD, NECK, NOTHING, toMm, traceRelief } from "./relief.ts";
import type { Relief, View } from "./relief.ts";
import { paintShortHair, paintStubble } from "./short-swept.ts";
import { skinAt } from "./skin.ts";
import { paintTiedBack } from "./tied-back.ts";

/** Eight-bit sRGB picture, three bytes a pixel, row by row. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8Array;
}

export interface PortraitOptions {
  /** Side of the square picture in pixels. */
  size: number;
  /** Samples a pixel along each axis. */
  oversampling: number;
  /** A sketch has fewer, broader hairs and softer light, and is drawn in a fraction of the time. */
  sketch?: boolean;
}

/** Draws one person's portrait. The same person and options give the same bytes on every run. */
export function drawPortrait(
  person: Person,
  { size, oversampling, sketch = false }: PortraitOptions,
): Picture {
  if (!Number.isInteger(size) || size < 32)
    throw new RangeError(`size must be a whole number from 32, not ${size}`);
  if (!Number.isInteger(oversampling) || oversampling < 1 || oversampling > 4) {
    throw new RangeError(`oversampling must be a whole number from 1 to 4, not ${oversampling}`);
  }
  const view = createView(size * oversampling);
  const face = createFace(person);
  const body = createBody(person, face);
  const relief = traceRelief(view, face, body);
  const canvas = createCanvas(view.size, view.size);
  paintBackground(canvas, view, person);

  const layer = (onto: Canvas): HairCanvas => ({
    canvas: onto,
    coverage: new Float32Array(view.size ** 2),
    view,
    person,
    face,
    detail: clamp(view.size / (sketch ? 1920 : 768), 0.25, 1),
  });
  if (person.hair.style === "long-waves") paintBackHair(layer(canvas));

  // The front hair is painted first, on its own, because its shadow falls on the skin that it will lie over.
  const hair = layer(createCanvas(view.size, view.size));
  paintHeadOfHair(hair);
  paintFlesh(canvas, relief, person, { face, body, hairCoverage: hair.coverage, lightStep: sketch ? 2 : 1 });
  if (sketch) softenEdges(canvas, relief);
  if (person.skin.stubble > 0) paintStubble(layer(canvas));
  if (person.beard) paintBeard(layer(canvas));
  paintBrows(canvas, view, person, face);
  paintLashes(canvas, view, person, face);
  paintGlasses(canvas, view, person, face);
  layOver(canvas, hair);
  return develop(canvas, oversampling, person.seed);
}

/** Blends the pixels where one layer ends and another begins, which single samples leave as steps. */
function softenEdges({ data }: Canvas, { view, material }: Relief): void {
  const { size } = view;
  const before = data.slice();
  for (let y = 1; y < size - 1; y++) {
    for (let x = 1; x < size - 1; x++) {
      const i = y * size + x;
      const m = material[i]!;
      const around = [i - 1, i + 1, i - size, i + size];
      if (m === EYEBALL || around.every((k) => material[k] === m || material[k] === EYEBALL)) continue;
      for (let c = 0; c < 3; c++) {
        const sum = around.reduce((total, k) => total + before[3 * k + c]!, 0);
        data[3 * i + c] = 0.5 * before[3 * i + c]! + 0.125 * sum;
      }
    }
  }
}

function paintHeadOfHair(hair: HairCanvas): void {
  switch (hair.person.hair.style) {
    case "long-waves":
      paintFrontHair(hair);
      if (hair.person.hair.long?.fringe) paintFringe(hair);
      break;
    case "short-swept":
      paintShortHair(hair);
      break;
    case "coils":
      paintCoils(hair);
      break;
    case "tied-back":
      paintTiedBack(hair);
      break;
    case "cropped":
    case "bald":
      paintCropped(hair);
      break;
  }
}

/** Lays a hair layer over the canvas; painted onto black, its colours are already multiplied by its coverage. */
function layOver(canvas: Canvas, { canvas: layer, coverage }: HairCanvas): void {
  for (let i = 0; i < coverage.length; i++) {
    const rest = 1 - coverage[i]!;
    for (let c = 0; c < 3; c++)
      canvas.data[3 * i + c] = layer.data[3 * i + c]! + canvas.data[3 * i + c]! * rest;
  }
}

function paintBackground(canvas: Canvas, view: View, person: Person): void {
  const { light, dark } = person.background;
  for (let y = 0; y < view.size; y++) {
    for (let x = 0; x < view.size; x++) {
      const u = x / view.size;
      const v = y / view.size;
      const glow = clamp(
        bump(u - 0.66, v - 0.42, 0.34, 0.36) + 0.05 * noise(u * 3, v * 3, person.seed + 400),
      );
      for (let c = 0; c < 3; c++) {
        canvas.data[3 * (y * view.size + x) + c] =
          mix(dark[c]!, light[c]!, glow) * (1 - 0.25 * smoothstep(0.6, 1.1, v));
      }
    }
  }
}

interface FleshInputs {
  face: ReturnType<typeof createFace>;
  body: Body;
  hairCoverage: Float32Array;
  /** Light is worked out once for a square of this many pixels' side. */
  lightStep: number;
}

function paintFlesh(
  canvas: Canvas,
  relief: Relief,
  person: Person,
  { face, body, hairCoverage, lightStep }: FleshInputs,
): void {
  const { view, material, normal, faceX, faceY } = relief;
  const count = view.size ** 2;
  const openness = computeOpenness(relief, lightStep);
  const keyShadow = blurPlane(
    computeShadow(relief, studio.key, lightStep),
    view.size,
    view.size,
    0.5 * view.scale,
  );
  const hairShade = castHairShadow(hairCoverage, view);
  const skinMask = new Float32Array(count);
  const light = [0, 1, 2].map(() => new Float32Array(count));
  const softOpenness = blurPlane(openness, view.size, view.size, 0.5 * view.scale);

  for (let i = 0; i < count; i++) {
    const m = material[i]!;
    if (m === NOTHING) continue;
    const isSkin = m !== CLOTH && m !== EYEBALL;
    skinMask[i] = isSkin ? 1 : 0;
    const n: Vec3 = [normal[3 * i]!, normal[3 * i + 1]!, normal[3 * i + 2]!];
    const ao = softOpenness[i]! ** 1.25;
    const key = diffuse(n, studio.key) * keyShadow[i]! * hairShade[i]!;
    const fill = diffuse(n, studio.fill) * mix(0.35, 1, ao) * mix(0.5, 1, hairShade[i]!);
    const down = clamp(0.5 + 0.5 * n[1]);
    for (let c = 0; c < 3; c++) {
      const ambient = mix(studio.sky[c]!, studio.floor[c]!, down) * ao * mix(0.55, 1, hairShade[i]!);
      light[c]![i] = key * studio.key.colour[c]! + fill * studio.fill.colour[c]! + ambient;
    }
  }
  // Light travels millimetres under skin, red the furthest: the sum of Gaussians of d'Eon and Luebke (2007), cut to two.
  const near = [1.3, 0.7, 0.45];
  const far = [4.2, 1.9, 1.0];
  const share: readonly Rgb[] = [
    [0.3, 0.38, 0.32],
    [0.5, 0.36, 0.14],
    [0.7, 0.24, 0.06],
  ];
  const scattered = light.map((plane, c) => {
    const a = blurMasked(plane, skinMask, { width: view.size, height: view.size }, near[c]! * view.scale);
    const b = blurMasked(plane, skinMask, { width: view.size, height: view.size }, far[c]! * view.scale);
    return plane.map((value, i) => share[c]![0] * value + share[c]![1] * a[i]! + share[c]![2] * b[i]!);
  });

  for (let i = 0; i < count; i++) {
    const m = material[i]!;
    if (m === NOTHING) continue;
    const n: Vec3 = [normal[3 * i]!, normal[3 * i + 1]!, normal[3 * i + 2]!];
    const rimFacing = clamp(
      n[0] * studio.rim.towards[0] + n[1] * studio.rim.towards[1] + n[2] * studio.rim.towards[2],
    );
    const edge = (1 - n[2]) ** 1.6 * rimFacing * openness[i]! ** 2 * hairShade[i]!;
    if (m === EYEBALL) {
      const colour = eyeballAt(person, face, faceX[i]!, faceY[i]!);
      for (let c = 0; c < 3; c++)
        canvas.data[3 * i + c] = colour[c]! * mix(0.75, 1, clamp(light[c]![i]! / 1.4));
      continue;
    }
    if (m === CLOTH) {
      const [x, y] = toMm(view, (i % view.size) + 0.5, Math.floor(i / view.size) + 0.5);
      const cloth = clothAt(person, body, x, y);
      for (let c = 0; c < 3; c++) {
        canvas.data[3 * i + c] =
          cloth[c]! * light[c]![i]! + (0.25 * cloth[c]! + 0.02) * edge * studio.rim.colour[c]!;
      }
      continue;
    }
    const point = skinAt(person, face, faceX[i]!, faceY[i]!);
    const gloss = m === NECK ? 0.25 * person.skin.shine : m === EAR ? 0.3 : point.gloss;
    const sheen =
      gloss *
      keyShadow[i]! *
      hairShade[i]! *
      (0.2 * specular(n, studio.key, 14) + 0.3 * specular(n, studio.key, mix(38, 64, point.lip)));
    const fillSheen = gloss * 0.16 * specular(n, studio.fill, 20) * openness[i]! * clamp(1.3 - 1.5 * n[1]);
    const fresnel = 0.05 * (1 - n[2]) ** 3 * openness[i]! * clamp(1 - 1.5 * n[1]);
    for (let c = 0; c < 3; c++) {
      const glow = edge * studio.rim.colour[c]! * (0.35 * point.albedo[c]! + 0.16);
      canvas.data[3 * i + c] =
        point.albedo[c]! * scattered[c]![i]! * (m === HEAD ? 1 : 0.94) +
        sheen * studio.key.colour[c]! * 0.62 +
        fillSheen * studio.fill.colour[c]! +
        glow +
        fresnel;
    }
  }
}

/** Knitted cloth: fine columns of stitches, and ribs with a seam along the collar. */
function clothAt(person: Person, body: Body, x: number, y: number): Rgb {
  const depth = body.clothDepth(x, y);
  const { colour, trim } = person.clothes;
  const collar = 1 - smoothstep(COLLAR_MM - 0.3, COLLAR_MM + 0.3, depth);
  const seam = bump(depth - COLLAR_MM, 0, 0.7, 1);
  const ribs = 0.86 + 0.14 * Math.sin(((x < 0 ? -1 : 1) * x + 0.6 * (y - depth)) * 2.1);
  const stitches =
    0.93 +
    0.1 * Math.sin(x * 3.6) * Math.sin(y * 4.4 + 1.4 * Math.sin(x * 3.6)) +
    0.08 * noise(x / 1.2, y / 1.2, person.seed + 410);
  const hem = smoothstep(0, 0.9, depth);
  return [0, 1, 2].map(
    (c) => mix(colour[c]! * stitches, trim[c]! * ribs, collar) * (1 - 0.5 * seam) * mix(0.6, 1, hem),
  ) as unknown as Rgb;
}

/** Shade that the front hair throws on the skin: near and sharp at its edge, wide and soft further in. */
function castHairShadow(coverage: Float32Array, view: View): Float32Array {
  const { size, scale } = view;
  const near = blurPlane(coverage, size, size, 1.6 * scale);
  const wide = blurPlane(coverage, size, size, 6 * scale);
  const shade = new Float32Array(size * size);
  const shift = (mm: number): number => Math.round(mm * scale);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = (plane: Float32Array, dx: number, dy: number): number =>
        plane[clamp(y - dy, 0, size - 1) * size + clamp(x - dx, 0, size - 1)]!;
      const dark = 0.42 * at(near, shift(1.6), shift(2.2)) + 0.42 * at(wide, shift(4), shift(6));
      shade[y * size + x] = 1 - clamp(dark, 0, 0.82);
    }
  }
  return shade;
}

/** Averages the samples of each pixel, adds a faint film grain and encodes to sRGB. */
function develop(canvas: Canvas, oversampling: number, seed: number): Picture {
  const size = canvas.width / oversampling;
  const data = new Uint8Array(size * size * 3);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const grain = 1 + 0.022 * (hash(x, y, seed + 500) + hash(x, y, seed + 501) - 1);
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let j = 0; j < oversampling; j++) {
          for (let k = 0; k < oversampling; k++)
            sum += canvas.data[3 * ((y * oversampling + j) * canvas.width + x * oversampling + k) + c]!;
        }
        data[3 * (y * size + x) + c] = Math.round(toSrgbByte((sum / oversampling ** 2) * grain));
      }
    }
  }
  return { width: size, height: size, data };
}
