// Whether two pictures show the same person.

import { Worker } from "node:worker_threads";
import { cutFace } from "./face-crop.ts";
import type { FaceFinder } from "./landmarks.ts";
import type { Picture } from "../media/picture.ts";

export interface DescribeRequest {
  id: number;
  /** Interleaved, 0..255, a square of `DESCRIPTION_SIDE`. */
  rgb: Float32Array;
}
export type DescribeReply = { id: number; description: Float32Array } | { id: number; error: string };

/** What the network looks at. */
export const DESCRIPTION_SIDE = 224;
/**
 * Between what `npm run bench identity` finds. A photograph and the same one half and nearly twice as large, at JPEG quality
 * 40 and 15, darker, brighter, in warm light, grey, mirrored, turned by 8° or cropped anew score 0.943 and more; two
 * photographed people, each in every one of these variations, 0.763 and less. A new picture of a person differs from the old
 * one by more than that, hence the middle and not the upper end. People drawn by one hand are another matter: the network
 * knows faces, not strokes, and takes some of them (0.93) for one person.
 */
export const SAME_FROM = 0.85;

export interface Comparison {
  /** 0..1. */
  score: number;
  same: boolean;
}

/**
 * Compares the one face of each picture. Rejects with AvatarError where a picture has no usable face.
 */
export async function compareFaces(
  a: Picture,
  b: Picture,
  { finder }: { finder: FaceFinder },
): Promise<Comparison> {
  const cuts: Float32Array[] = [];
  for (const picture of [a, b]) {
    const { landmarks } = await finder.findFace(picture);
    cuts.push(await cutFace(picture, landmarks, DESCRIPTION_SIDE));
  }
  const [first, second] = await describeFaces(cuts);
  if (!first || !second) throw new Error("The faces were not described.");
  const score = Math.max(0, Math.min(1, likeness(first, second)));
  return { score, same: score >= SAME_FROM };
}

/** Describes cut faces in a thread that ends with it. */
export async function describeFaces(cuts: readonly Float32Array[]): Promise<Float32Array[]> {
  const worker = new Worker(new URL("./identity-worker.ts", import.meta.url));
  try {
    return await new Promise((resolve, reject) => {
      const described: Float32Array[] = [];
      let missing = cuts.length;
      worker.on("message", (reply: DescribeReply) => {
        if ("error" in reply) reject(new Error(`The description model failed: ${reply.error}`));
        else described[reply.id] = reply.description;
        missing -= 1;
        if (missing === 0) resolve(described);
      });
      worker.on("error", (error) => reject(error instanceof Error ? error : new Error(String(error))));
      worker.on("exit", () => reject(new Error("The identity worker ended.")));
      cuts.forEach((rgb, id) => worker.postMessage({ id, rgb } satisfies DescribeRequest, []));
    });
  } finally {
    await worker.terminate();
  }
}

/** Cosine of two descriptions. */
export function likeness(a: Float32Array, b: Float32Array): number {
  let both = 0;
  let ofA = 0;
  let ofB = 0;
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0;
    both += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return both / Math.sqrt(ofA * ofB || 1);
}
