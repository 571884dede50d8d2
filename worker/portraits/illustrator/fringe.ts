// A fringe over the forehead, in front of long hair.

import { paintHair, stepsOf } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { createRandom, mix, noise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";

export function paintFringe(target: HairCanvas): void {
  const { person } = target;
  const random = createRandom(person.seed + 360);
  // It ends a little above the brows, so that they and the eyes stay free to move.
  const end = person.brows.y - 11;
  for (const ground of [true, false]) {
    for (let k = 0; k < (ground ? 500 : 4200) * Math.max(0.4, target.detail); k++) {
      const across = 2 * random() - 1;
      const root = 34 * across;
      const lock = noise(across * 8, 2, person.seed + 361);
      const tip = 55 * across + 3 * lock;
      const length = mix(0.86, 1.02, random()) + 0.04 * lock;
      const rootY = -98 - 5 * random() + 9 * across * across;
      const until = mix(rootY, end + 5 * across * across, length);
      const path: Vec3[] = Array.from(
        { length: stepsOf(target, 14) },
        (_, s, steps = stepsOf(target, 14)) => {
          const t = s / (steps - 1);
          return [mix(root, tip, t ** 0.7), mix(rootY, until, t), 96 + 6 * Math.sin(Math.PI * t)];
        },
      );
      paintHair(
        target,
        {
          path,
          normal: (t) => [0.6 * across + 0.25 * lock, mix(-0.75, 0.1, t), 0.85],
          widthMm: ground ? 2.6 : mix(0.24, 0.42, random()),
          tone: ground ? 0.6 : mix(0.75, 1.2, random()) * (1 + 0.25 * lock),
          openness: (t) => mix(0.75, 1, smoothstep(0, 0.3, t)),
          opacity: ground ? 0.9 * smoothstep(0, 0.2, 1 - Math.abs(across)) : 0.72,
          taper: ground ? 0.6 : 0.25,
        },
        0.1 * (random() - 0.5) + 0.05 * lock,
      );
    }
  }
}
