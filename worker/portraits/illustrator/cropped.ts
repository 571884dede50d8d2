// Hair clipped to a few millimetres all over, and what is left of it on a balding head.

import { paintHair } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { createRandom, mix, noise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import { hairlineOf, skullNormal } from "./short-swept.ts";

/** How much hair grows at a height where only a wreath of it is left. */
const wreath = (x: number, y: number): number => smoothstep(-66, -38, y) * smoothstep(54, 64, Math.abs(x));

export function paintCropped(target: HairCanvas): void {
  const { face, person } = target;
  const bald = person.hair.style === "bald";
  const random = createRandom(person.seed + 340);
  const count = 62000 * Math.max(0.45, target.detail);
  for (let k = 0; k < count; k++) {
    const ground = k < count / 9;
    const x = mix(-80, 80, random());
    const y = mix(-116, 20, random());
    const fullness = mix(0, 3, smoothstep(-15, -65, y));
    if (Math.abs(x) > face.halfWidth(Math.max(y, -111.5)) + fullness) continue;
    const line = hairlineOf(person, x);
    const fade = mix(0.5, 1, smoothstep(14, -30, y)) * (bald ? 0.55 * wreath(x, y) : 1);
    if (random() > smoothstep(line + 2.5, line - 4, y) * fade) continue;
    const side = x < 0 ? -1 : 1;
    const lock = noise(x / 6, y / 9, person.seed + 341);
    const forwards = smoothstep(-45, -70, y);
    const angle =
      Math.PI / 2 +
      side * mix(0.15, 0.02 * Math.abs(x) - 0.2, forwards) +
      0.6 * lock +
      0.5 * (random() - 0.5);
    const length = mix(2.2, bald ? 3 : 5, smoothstep(0, -70, y)) * mix(0.7, 1.15, random());
    const normal = skullNormal(x, y);
    const path: Vec3[] = [0, 0.5, 1].map((t) => [
      x + Math.cos(angle) * length * t,
      y + Math.sin(angle) * length * t - (ground ? 1 : 0),
      60 * normal[2],
    ]);
    paintHair(
      target,
      {
        path,
        normal: () => normal,
        widthMm: ground ? 1.3 : mix(0.18, 0.26, random()),
        tone: (ground ? 0.5 : mix(0.45, 1, random())) * (1 + 0.2 * lock),
        openness: () => mix(0.7, 0.85, smoothstep(-20, -90, y)),
        opacity: ground ? (bald ? 0.2 : 0.5) : 0.7,
        taper: 0.4,
      },
      0.1 * (random() - 0.5),
    );
  }
}
