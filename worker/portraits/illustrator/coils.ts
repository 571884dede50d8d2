// Coily hair: thousands of small curls that stand off the head on all sides.

import { paintHair, stepsOf } from "./hair.ts";
import type { HairCanvas } from "./hair.ts";
import { clamp, createRandom, mix, noise, normalise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import { hairlineOf } from "./short-swept.ts";

/** Middle of the skull and its half axes, face mm. */
const MIDDLE_Y = -22;
const SKULL_X = 72;
const SKULL_Y = 92;

interface Curl {
  x: number;
  y: number;
  /** 0 in the middle of the head to 1 on the outline of the hair. */
  rim: number;
}

function scatter(target: HairCanvas, count: number, random: () => number): Curl[] {
  const { person } = target;
  const { volume, downTo } = person.hair.coils ?? { volume: 14, downTo: 0 };
  const curls: Curl[] = [];
  for (let tried = 0; curls.length < count && tried < 40 * count; tried++) {
    const x = mix(-SKULL_X - volume, SKULL_X + volume, random());
    const y = mix(MIDDLE_Y - SKULL_Y - volume, downTo, random());
    // Hair that hangs past the ears keeps its width; above them it follows the skull.
    const dy = Math.min(0, y - MIDDLE_Y);
    const uneven = 0.05 * noise(x / 16, y / 16, person.seed + 331);
    const narrowing = 0.16 * smoothstep(0, downTo, y) * (downTo > 0 ? 1 : 0);
    const rim = Math.hypot(x / (SKULL_X + volume), dy / (SKULL_Y + volume)) + uneven + narrowing;
    if (rim > 1) continue;
    const line = hairlineOf(person, x);
    const overhang = 0.2 * volume;
    const beside = Math.abs(x) > 60 - 4 * smoothstep(-40, 0, y);
    if (!beside && y > Math.min(line + overhang, -30)) continue;
    if (beside && Math.abs(x) < 64 && y > -28) continue;
    curls.push({ x, y, rim });
  }
  return curls.sort((a, b) => b.rim - a.rim);
}

/** One curl: a short helix seen from the side, leaving the head. */
function curlPath(
  { x, y }: Curl,
  shape: { radius: number; reach: number; heading: number; phase: number; steps: number },
): Vec3[] {
  const { radius, reach, heading, phase, steps } = shape;
  const turns = 1.6;
  return Array.from({ length: steps }, (_, s) => {
    const t = s / (steps - 1);
    const angle = phase + 2 * Math.PI * turns * t;
    const grown = radius * mix(0.7, 1, t);
    return [
      x + Math.cos(heading) * reach * t + grown * Math.cos(angle),
      y + Math.sin(heading) * reach * t + grown * Math.sin(angle),
      60 + 20 * Math.sin(angle),
    ];
  });
}

export function paintCoils(target: HairCanvas): void {
  const { person } = target;
  const { volume } = person.hair.coils ?? { volume: 14 };
  const random = createRandom(person.seed + 330);
  const spread = (SKULL_X + volume) / SKULL_X;
  for (const ground of [true, false]) {
    const curls = scatter(
      target,
      Math.round((ground ? 2600 : 9500) * spread * Math.max(0.45, target.detail)),
      random,
    );
    for (const curl of curls) {
      const nx = curl.x / (SKULL_X + volume);
      const ny = Math.min(0, curl.y - MIDDLE_Y) / (SKULL_Y + volume);
      const clump = noise(curl.x / 9, curl.y / 9, person.seed + 332);
      const outwards = Math.atan2(curl.y - MIDDLE_Y, curl.x);
      const normal = normalise([
        nx + 0.35 * clump,
        ny + 0.3 * noise(curl.x / 8, curl.y / 8, person.seed + 333),
        Math.sqrt(clamp(1 - nx * nx - ny * ny, 0.04)),
      ]);
      const depth = mix(0.62, 1, smoothstep(-0.6, 0.5, clump));
      paintHair(
        target,
        {
          path: curlPath(curl, {
            radius: ground ? 1.5 : mix(1.2, 2.6, random()),
            reach: (ground ? 3 : mix(3, 8, random())) * mix(0.7, 1.15, curl.rim),
            heading: outwards + 1.4 * (random() - 0.5),
            phase: 6.3 * random(),
            steps: stepsOf(target, ground ? 8 : 16),
          }),
          normal: () => normal,
          widthMm: (ground ? 3 : mix(0.3, 0.5, random())) * target.detail ** 0.5,
          tone: ground ? 0.55 : mix(0.7, 1.35, random()),
          openness: () => (ground ? 0.55 : depth * mix(0.8, 1, curl.rim)),
          opacity: ground ? 0.95 : 0.8,
          taper: ground ? 1 : 0.5,
        },
        0.2 * (random() - 0.5),
      );
    }
  }
}
