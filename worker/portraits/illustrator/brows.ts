import type { Face } from "./anatomy.ts";
import { paintStrand } from "./canvas.ts";
import type { Canvas } from "./canvas.ts";
import { bump, clamp, createRandom, mix, smoothstep } from "./maths.ts";
import type { Person } from "./person.ts";
import { toPixel } from "./relief.ts";
import type { View } from "./relief.ts";

/** Where the brow starts, mm from the middle of the face. */
const INNER_X = 12;

const outerX = (face: Face): number => face.shape.pupilX + face.shape.eyeHalfWidth + 7.5;

/** Height of the brow's middle line, u from 0 at the inner end to 1 at the tail. The two sides differ a little. */
function middleLine(person: Person, side: number, u: number): number {
  const { y, arch } = person.brows;
  return (
    y - arch * Math.sin(Math.PI * clamp(u * 0.8)) + 3.6 * smoothstep(0.62, 1, u) + (side < 0 ? 0.5 : -0.3)
  );
}

const thicknessAt = (person: Person, u: number): number =>
  person.brows.thicknessMm * (u < 0.6 ? mix(0.98, 1, u / 0.6) : mix(1, 0.22, (u - 0.6) / 0.4));

/** How much brow shades the skin at a point: the soft ground that the single hairs are drawn on. */
export function browShade(person: Person, face: Face, x: number, y: number): number {
  const ax = Math.abs(x);
  const u = (ax - INNER_X) / (outerX(face) - INNER_X);
  if (u < -0.1 || u > 1.1) return 0;
  const across = y - middleLine(person, x < 0 ? -1 : 1, clamp(u));
  const ends = smoothstep(-0.06, 0.3, u) * (1 - smoothstep(0.85, 1.08, u));
  return ends * bump(across, 0, 0.42 * thicknessAt(person, clamp(u)), 1);
}

/** Paints the brows hair by hair: upright at the inner end, then sweeping outwards, thinning at both borders. */
export function paintBrows(canvas: Canvas, view: View, person: Person, face: Face): void {
  const random = createRandom(person.seed + 110);
  const { brows } = person;
  const steps = 6;
  for (const side of [-1, 1]) {
    const count = Math.round(760 * brows.density);
    for (let k = 0; k < count; k++) {
      const u = random() ** 0.95;
      const ax = mix(INNER_X, outerX(face), u);
      const v = (random() + random() - 1) * 0.62;
      const y0 = middleLine(person, side, u) + v * thicknessAt(person, u);
      const upright = mix(-1.2, -0.1, clamp(u * 2.2));
      const gather = (v < 0 ? 0.5 : -0.32) * clamp(u * 1.6);
      const lean = upright + gather + 0.22 * smoothstep(0.6, 1, u) + 0.42 * (random() - 0.5);
      const length =
        mix(3.6, 6.2, random()) * mix(0.75, 1, clamp(u * 3)) * mix(1, 0.6, smoothstep(0.6, 1, u));
      const points = new Float64Array(steps * 2);
      const widths = new Float64Array(steps);
      const colours = new Float64Array(steps * 3);
      const tone = 0.6 + 0.9 * random();
      for (let s = 0; s < steps; s++) {
        const t = s / (steps - 1);
        const bend = lean + 0.42 * t;
        const hx = ax + length * t * Math.cos(bend);
        const hy = y0 + length * t * Math.sin(bend);
        const [px, py] = toPixel(view, ...face.fromFace(side * hx, hy));
        points[2 * s] = px;
        points[2 * s + 1] = py;
        widths[s] = Math.max(0.1, view.scale * 0.3 * (1 - t) ** 0.6);
        for (let c = 0; c < 3; c++) colours[3 * s + c] = brows.colour[c]! * tone;
      }
      paintStrand(canvas, {
        points,
        widths,
        colours,
        opacity: (smoothstep(0, 0.25, u) * 0.32 + 0.24) * mix(1, 0.45, smoothstep(0.82, 1, u)),
      });
    }
  }
}
