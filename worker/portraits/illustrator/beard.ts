// A grown beard: hairs that hang from cheeks, lip and chin.

import { paintHair } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { bump, clamp, createRandom, mix, noise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import { beardArea } from "./skin.ts";

/** Where each kind of beard is let grow, by |x| and the height below the line of the lips. */
const grows = {
  full: () => 1,
  goatee: (ax: number, below: number) => (1 - smoothstep(20, 30, ax)) * smoothstep(-24, -14, below),
  moustache: (ax: number, below: number) => (1 - smoothstep(24, 31, ax)) * (1 - smoothstep(-3, 1, below)),
} as const;

export function paintBeard(target: HairCanvas): void {
  const { face, person } = target;
  const { beard } = person;
  if (!beard) return;
  const { chinY } = face.shape;
  const random = createRandom(person.seed + 370);
  const count = Math.round(52000 * beard.density * Math.max(0.42, target.detail));
  for (let k = 0; k < count; k++) {
    const ground = k < count / 8;
    const x = mix(-76, 76, random());
    const y = mix(0, chinY + 1, random());
    const ax = Math.abs(x);
    const area = beardArea(face, x, y) * grows[beard.reach](ax, y - face.lips.lineY);
    if (ax > face.halfWidth(y) + 0.5 || random() > area * 1.15) continue;
    const side = x < 0 ? -1 : 1;
    const lock = noise(x / 5, y / 9, person.seed + 371);
    const onLip = bump(ax - 10, y - (face.nose.baseY + 10), 14, 7);
    const angle =
      Math.PI / 2 - side * mix(0.1, 0.8, onLip) * Math.min(1, ax / 12) + 0.5 * lock + 0.5 * (random() - 0.5);
    const below = smoothstep(chinY - 35, chinY, y) * smoothstep(45, 12, ax);
    // What grows on the lip is kept short, so that the mouth stays free.
    const length =
      beard.lengthMm *
      mix(1, beard.reach === "moustache" ? 0.7 : 0.35, onLip) *
      mix(0.6, 1.1, random()) *
      mix(0.6, 1.5, below);
    const path: Vec3[] = [0, 0.35, 0.7, 1].map((t) => [
      x + Math.cos(angle + 0.3 * lock * t) * length * t,
      y + Math.sin(angle + 0.3 * lock * t) * length * t,
      80,
    ]);
    paintHair(
      target,
      {
        path,
        normal: () => [x / 80, (y - 60) / 110, 0.75],
        widthMm: ground ? 1 : mix(0.2, 0.3, random()),
        tone: (ground ? 0.5 : mix(0.6, 1.15, random())) * (1 + 0.25 * lock),
        openness: () => 0.72 + 0.16 * clamp(lock),
        opacity: ground ? 0.55 : 0.72,
        taper: 0.35,
      },
      0.1 * (random() - 0.5),
    );
  }
}
