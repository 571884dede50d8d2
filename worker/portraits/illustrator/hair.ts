import type { Face } from "./anatomy.ts";
import { paintStrand } from "./canvas.ts";
import type { Canvas, Rgb } from "./canvas.ts";
import { studio } from "./lighting.ts";
import type { Lamp } from "./lighting.ts";
import { clamp, mix, normalise } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import type { Hair, Person } from "./person.ts";
import { toPixel } from "./relief.ts";
import type { View } from "./relief.ts";

/** What a hair style paints on: canvas, coverage of the hair so far, and where things are. */
export interface HairCanvas {
  canvas: Canvas;
  coverage: Float32Array;
  view: View;
  person: Person;
  face: Face;
  /** Share of all strands to paint, each so much wider: small pictures need fewer. */
  detail: number;
}

/** How many points a hair gets that has `most` in a full drawing. */
export const stepsOf = ({ detail }: HairCanvas, most: number): number =>
  detail < 0.5 ? Math.ceil(most * 0.6) : most;

/** One hair in face millimetres, with the normal of the hair volume around it. */
export interface HairStrand {
  path: readonly Vec3[];
  /** Normal of the lock's surface, which catches the light as a whole. */
  normal: (t: number) => Vec3;
  widthMm: number;
  /** Brightness of this strand against its neighbours, around 1. */
  tone: number;
  /** Openness along the strand, 0 in the depth of the hair to 1 on top. */
  openness: (t: number) => number;
  opacity: number;
  /** Width at the tip over width at the root. */
  taper: number;
}

/** What one lamp gives a hair: its share of the body colour, and of the two highlights. */
interface LampLight {
  body: number;
  first: number;
  second: number;
}

/** Sine of the angle between a direction and a tangent that is tipped along the normal. */
function sine(tangent: Vec3, normal: Vec3, direction: Vec3, by: number): number {
  const x = tangent[0] + normal[0] * by;
  const y = tangent[1] + normal[1] * by;
  const z = tangent[2] + normal[2] * by;
  const length = Math.hypot(x, y, z) || 1;
  const cosine = (x / length) * direction[0] + (y / length) * direction[1] + (z / length) * direction[2];
  return Math.sqrt(Math.max(0, 1 - cosine * cosine));
}

function lampLight(
  tangent: Vec3,
  normal: Vec3,
  { towards, half, shift }: HairLamp & { shift: number },
): LampLight {
  const facing = clamp(
    (normal[0] * towards[0] + normal[1] * towards[1] + normal[2] * towards[2] + 0.35) / 1.35,
  );
  return {
    body: facing * (0.6 + 0.4 * sine(tangent, normal, towards, 0)),
    first: facing * sine(tangent, normal, half, 0.2 + shift) ** 70,
    second: facing * sine(tangent, normal, half, 0.42 + shift) ** 34,
  };
}

interface HairLamp {
  towards: Vec3;
  /** Halfway between the lamp and the viewer. */
  half: Vec3;
}

const hairLamp = ({ towards }: Lamp): HairLamp => ({
  towards,
  half: normalise([towards[0], towards[1], towards[2] + 1]),
});
const keyLamp = hairLamp(studio.key);
const fillLamp = hairLamp(studio.fill);

/** Kajiya and Kay (1989) hair shading, with the second, coloured highlight shifted towards the tip. */
function shade(
  hair: Hair,
  tangent: Vec3,
  normal: Vec3,
  { tone, openness, shift }: { tone: number; openness: number; shift: number },
): Rgb {
  const key = lampLight(tangent, normal, { ...keyLamp, shift });
  const fill = lampLight(tangent, normal, { ...fillLamp, shift });
  const { rim, sky } = studio;
  const rimFacing =
    clamp(normal[0] * rim.towards[0] + normal[1] * rim.towards[1] + 0.1) * (1 - 0.6 * clamp(normal[2]));
  const capped = Math.min(1, tone);
  const lit = clamp(0.25 + key.body * 0.9);
  const channel = (c: 0 | 1 | 2): number => {
    const shine = hair.shine[c];
    const body = mix(hair.dark[c], hair.mid[c], lit) * tone;
    const ambient = 0.62 * sky[c];
    const diffuse =
      body * (ambient + 0.95 * key.body * studio.key.colour[c] + 0.8 * fill.body * studio.fill.colour[c]);
    const glow =
      shine * (0.2 * key.second + 0.08 * fill.second) * tone +
      (0.5 * shine + 0.05) * 0.75 * key.first * capped;
    return (diffuse + glow + shine * 0.42 * capped * rimFacing * rim.colour[c]) * openness;
  };
  return [channel(0), channel(1), channel(2)];
}

export function paintHair(target: HairCanvas, strand: HairStrand, shift: number): void {
  const { view, face, person } = target;
  const count = strand.path.length;
  const points = new Float64Array(count * 2);
  const widths = new Float64Array(count);
  const colours = new Float64Array(count * 3);
  for (let k = 0; k < count; k++) {
    const t = k / (count - 1);
    const [x, y] = strand.path[k]!;
    const before = strand.path[Math.max(0, k - 1)]!;
    const after = strand.path[Math.min(count - 1, k + 1)]!;
    const tangent = normalise([after[0] - before[0], after[1] - before[1], after[2] - before[2]]);
    const [px, py] = toPixel(view, ...face.fromFace(x, y));
    points[2 * k] = px;
    points[2 * k + 1] = py;
    widths[k] = (strand.widthMm / target.detail) * view.scale * mix(1, strand.taper, t ** 1.5);
    const colour = shade(person.hair, tangent, normalise(strand.normal(t)), {
      tone: strand.tone,
      openness: strand.openness(t),
      shift,
    });
    for (let c = 0; c < 3; c++) colours[3 * k + c] = colour[c]!;
  }
  paintStrand(target.canvas, { points, widths, colours, opacity: strand.opacity }, target.coverage);
}
