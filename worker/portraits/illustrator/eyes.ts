import type { Face } from "./anatomy.ts";
import type { Canvas, Rgb } from "./canvas.ts";
import { paintStrand } from "./canvas.ts";
import { bump, clamp, createRandom, mix, noise, smoothstep } from "./maths.ts";
import type { Person } from "./person.ts";
import { toPixel } from "./relief.ts";
import type { View } from "./relief.ts";

/** Visible radii of an adult iris and of its pupil in studio light, mm. */
const IRIS_RADIUS = 5.8;
const PUPIL_RADIUS = 2.05;

/** Colour of the open eye at a point of the face, lit and in the shade of the upper lid. */
export function eyeballAt(person: Person, face: Face, x: number, y: number): Rgb {
  const side = x < 0 ? -1 : 1;
  const ax = Math.abs(x);
  const { eye } = face;
  const dx = x - side * eye.pupil[0];
  const dy = y - eye.pupil[1];
  const r = Math.hypot(dx, dy);
  const angle = Math.atan2(dy, dx);
  const seed = person.seed + (side < 0 ? 80 : 90);

  const fibres = noise(angle * 14, r * 0.5, seed) * 0.5 + noise(angle * 31, r * 0.9, seed + 1) * 0.35;
  const towardsPupil =
    1 - smoothstep(PUPIL_RADIUS, IRIS_RADIUS * 0.72, r + 0.5 * noise(angle * 6, 1, seed + 2));
  const limbus = smoothstep(IRIS_RADIUS - 1.5, IRIS_RADIUS - 0.1, r);
  const pupil = 1 - smoothstep(PUPIL_RADIUS - 0.25, PUPIL_RADIUS + 0.2, r);
  const isIris = 1 - smoothstep(IRIS_RADIUS - 0.35, IRIS_RADIUS + 0.25, r);
  // The cornea gathers the key light on the iris's far side: lower right, as the key stands upper left.
  const caustic = 0.75 + 0.75 * bump(dx - 1.8, dy - 2.3, 3, 2.6);

  const corner = smoothstep(7, 15, Math.abs(dx));
  const vein = Math.max(0, noise(x / 1.3, y / 0.5, seed + 3)) * corner * 0.12;
  const roundness = 1 - 0.34 * smoothstep(5, 15.5, Math.abs(dx)) ** 1.5;
  const fromUpper = y - eye.upper(ax);
  const fromLower = eye.lower(ax) - y;
  const shade = mix(0.16, 1, smoothstep(-0.6, 4.6, fromUpper)) * mix(0.72, 1, smoothstep(0, 1.4, fromLower));
  const wet = smoothstep(0.95, 0.25, fromLower) * smoothstep(0, 3, ax - eye.innerX);
  const caruncle = bump(ax - eye.innerX - 0.8, dy - 1.3, 1.7, 1.5);
  const white: Rgb = [0.5, 0.46, 0.435];

  const colour = [0, 1, 2].map((c) => {
    let value = white[c]! * roundness * (c === 0 ? 1 : 1 - vein - 0.1 * corner);
    const iris =
      mix(person.eyes.iris[c]!, person.eyes.irisInner[c]!, towardsPupil * 0.75) *
      (1 + 0.55 * fibres) *
      caustic;
    value = mix(value, iris * (1 - 0.75 * limbus) * (1 - 0.97 * pupil) + 0.004, isIris);
    value = mix(value, person.skin.blood[c]! * 0.75, caruncle);
    value = mix(value, mix(person.skin.base[c]!, 0.75, 0.3), wet * 0.55);
    return value * shade * 1.12;
  });
  // The key's softbox and, fainter, the fill mirror in the cornea.
  const box = smoothstep(1.12, 0.6, Math.hypot(dx + 1.7 + 0.1 * dy, 0.85 * (dy + 1.95 + 0.14 * dx)));
  const second = 0.16 * bump(dx - 2.6, dy - 1.2, 0.7, 1.1) + 0.1 * bump(dx - 6.5, dy + 0.5, 0.6, 1);
  const tear = 0.5 * bump(ax - eye.innerX - 2.6, fromLower - 0.5, 0.5, 0.25);
  const glint = clamp(1.15 * box + second + tear);
  return [colour[0]! + glint, colour[1]! + glint, colour[2]! + glint * 1.02];
}

/** Paints both rows of lashes of both eyes over the shaded face. */
export function paintLashes(canvas: Canvas, view: View, person: Person, face: Face): void {
  const random = createRandom(person.seed + 100);
  const { eye } = face;
  const { lashes, lashLengthMm } = person.eyes;
  for (const side of [-1, 1]) {
    for (const row of ["lower", "upper"] as const) {
      const count = row === "upper" ? lashes : Math.round(lashes * 0.36);
      for (let k = 0; k < count; k++) {
        const u = clamp((k + random()) / count, 0.03, 0.99);
        const ax = mix(eye.innerX + 1.5, eye.outerX + 0.2, u);
        const fan = (u - 0.42) * 1.5 + 0.22 * (random() - 0.5);
        const length =
          lashLengthMm * (0.55 + 0.45 * random()) * mix(0.55, 1.1, u ** 0.8) * (row === "upper" ? 1 : 0.34);
        const up = row === "upper" ? -1 : 1;
        const y0 = row === "upper" ? eye.upper(ax) + 0.15 : eye.lower(ax) + 0.35;
        const steps = 7;
        const points = new Float64Array(steps * 2);
        const widths = new Float64Array(steps);
        const colours = new Float64Array(steps * 3);
        for (let s = 0; s < steps; s++) {
          const t = s / (steps - 1);
          // Seen from the front a lash leaves forwards and down, then curls up.
          const rise = row === "upper" ? 0.95 * t ** 1.5 - 0.2 * Math.sin(Math.PI * t) : 0.9 * t;
          const lx = ax + length * fan * t ** 1.15;
          const ly = y0 + up * length * rise * 0.82;
          const [px, py] = toPixel(view, ...face.fromFace(side * lx, ly));
          points[2 * s] = px;
          points[2 * s + 1] = py;
          widths[s] = Math.max(0.15, view.scale * (row === "upper" ? 0.4 : 0.24) * (1 - t * 0.9));
          for (let c = 0; c < 3; c++) colours[3 * s + c] = person.brows.colour[c]! * 0.22;
        }
        paintStrand(canvas, { points, widths, colours, opacity: row === "upper" ? 0.85 : 0.36 });
      }
    }
  }
}
