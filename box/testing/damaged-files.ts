// Files as a bad line, a bad disk or a bad person leaves them: sound ones, damaged in ways that a seed decides.

import { Random } from "./random.ts";
import type { MediaSample } from "./media-samples.ts";

export interface DamagedFile {
  name: string;
  kind: MediaSample["kind"];
  bytes: Buffer;
}

/** Numbers that break sums: nothing, almost nothing, and the edges of what fits. */
const lies = [0, 1, 7, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

type Damage = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const damages: Record<string, Damage> = {
  cut: (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  cut_head: (bytes, random) => bytes.subarray(1 + random.below(64)),
  flip: (bytes, random) => {
    for (let count = 1 + random.below(40); count > 0; count -= 1)
      flipBit(bytes, random.below(bytes.length), random);
    return bytes;
  },
  flip_head: (bytes, random) => {
    const head = Math.min(bytes.length, 600);
    for (let count = 1 + random.below(6); count > 0; count -= 1) flipBit(bytes, random.below(head), random);
    return bytes;
  },
  lie_head: (bytes, random) => lie(bytes, random, Math.min(bytes.length, 400)),
  lie: (bytes, random) => lie(bytes, random, bytes.length),
  noise: (bytes, random) => {
    const from = random.below(bytes.length);
    const to = Math.min(bytes.length, from + 1 + random.below(300));
    for (let at = from; at < to; at += 1) bytes[at] = random.below(256);
    return bytes;
  },
  hole: (bytes, random) => {
    const from = random.below(bytes.length);
    return bytes.fill(0, from, Math.min(bytes.length, from + random.below(bytes.length)));
  },
  splice: (bytes, random, other) =>
    Buffer.concat([
      bytes.subarray(0, random.below(bytes.length)),
      other.subarray(random.below(other.length)),
    ]),
  stutter: (bytes, random) => {
    const from = random.below(bytes.length);
    const piece = bytes.subarray(from, from + 1 + random.below(500));
    const copies = Array.from({ length: 1 + random.below(20) }, () => piece);
    return Buffer.concat([bytes.subarray(0, from), ...copies, bytes.subarray(from)]);
  },
};

function flipBit(bytes: Buffer, at: number, random: Random): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
}

function lie(bytes: Buffer, random: Random, within: number): Buffer {
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const value = lies[random.below(lies.length)] ?? 0;
    const at = random.below(Math.max(1, within - 4));
    if (at + 4 > bytes.length) continue;
    if (random.below(2) === 0) bytes.writeUInt32BE(value, at);
    else bytes.writeUInt32LE(value, at);
  }
  return bytes;
}

/** The file of a number, the same every time; every kind of damage meets every sample. */
export function damagedFile(samples: readonly MediaSample[], number: number): DamagedFile {
  const names = Object.keys(damages);
  const random = new Random(number + 1);
  const sample = samples[number % samples.length];
  const how = names[Math.floor(number / samples.length) % names.length] ?? "";
  const damage = damages[how];
  const other = samples[random.below(samples.length)];
  if (!sample || !damage || !other) throw new Error("There is nothing to damage.");
  const bytes = damage(Buffer.from(sample.bytes), random, other.bytes);
  return { name: `${number} (${sample.name}, ${how})`, kind: sample.kind, bytes };
}
