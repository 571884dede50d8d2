// Spectacles: two rims, a bridge and the temples that run to the ears.

import type { Face } from "./anatomy.ts";
import { paintStrand } from "./canvas.ts";
import type { Canvas, Rgb } from "./canvas.ts";
import type { Person } from "./person.ts";
import { toPixel } from "./relief.ts";
import type { View } from "./relief.ts";

/** Half width and half height of a lens, mm, and how square its outline is (the power of a superellipse). */
const lenses = {
  round: { halfWidth: 23, halfHeight: 21.5, power: 2.1 },
  square: { halfWidth: 25, halfHeight: 18.5, power: 4.2 },
} as const;
const RIM_MM = 2;

type Point = readonly [number, number];

interface Wire {
  points: readonly Point[];
  widthMm: number;
  colour: Rgb;
  opacity: number;
}

function paintWire(canvas: Canvas, view: View, face: Face, { points, widthMm, colour, opacity }: Wire): void {
  const pixels = points.map(([x, y]) => toPixel(view, ...face.fromFace(x, y)));
  paintStrand(canvas, {
    points: Float64Array.from(pixels.flat()),
    widths: new Float64Array(points.length).fill(Math.max(1, widthMm * view.scale)),
    colours: Float64Array.from(points.flatMap(() => [...colour])),
    opacity,
  });
}

export function paintGlasses(canvas: Canvas, view: View, person: Person, face: Face): void {
  const { glasses } = person;
  if (!glasses) return;
  const { halfWidth, halfHeight, power } = lenses[glasses.shape];
  const middleX = face.shape.pupilX + 1.5;
  const middleY = 2;
  const outline = (side: number, grow: number): Point[] =>
    Array.from({ length: 73 }, (_, s): Point => {
      const angle = (2 * Math.PI * s) / 72;
      const around = (value: number): number => Math.sign(value) * Math.abs(value) ** (2 / power);
      return [
        side * (middleX + (halfWidth + grow) * around(Math.cos(angle))),
        middleY + (halfHeight + grow) * around(Math.sin(angle)),
      ];
    });
  const bridge = Array.from({ length: 13 }, (_, s): Point => {
    const t = s / 6 - 1;
    return [t * (middleX - halfWidth), middleY - 6 - 2.4 * (1 - t * t)];
  });
  const light: Rgb = [glasses.colour[0] + 0.22, glasses.colour[1] + 0.22, glasses.colour[2] + 0.24];
  for (const side of [-1, 1]) {
    const edge = middleX + halfWidth;
    const temple: Point[] = [
      [side * (edge - 0.5), middleY - 8],
      [side * (edge + 5), middleY - 8.5],
      [side * (face.shape.cheekHalfWidth + 3), middleY - 8],
    ];
    const shadow = outline(side, 0).map(([x, y]): Point => [x + 1.2, y + 2.2]);
    paintWire(canvas, view, face, {
      points: shadow,
      widthMm: 2.6,
      colour: [0.05, 0.025, 0.015],
      opacity: 0.2,
    });
    paintWire(canvas, view, face, { points: temple, widthMm: 2.4, colour: glasses.colour, opacity: 0.95 });
    paintWire(canvas, view, face, {
      points: outline(side, 0),
      widthMm: RIM_MM,
      colour: glasses.colour,
      opacity: 0.97,
    });
    // The rim's upper edge catches the key light.
    const lit = outline(side, 0.3).slice(40, 60);
    paintWire(canvas, view, face, { points: lit, widthMm: 0.4, colour: light, opacity: 0.5 });
  }
  paintWire(canvas, view, face, {
    points: bridge,
    widthMm: RIM_MM + 0.3,
    colour: glasses.colour,
    opacity: 0.97,
  });
}
