// What a generator of seated stills is asked for, and what it may answer.

import type { DetectedFace } from "../avatars/landmarks.ts";
import type { Picture } from "../media/picture.ts";

export interface StillOrder {
  /** The photograph, decoded, and the one face in it. */
  picture: Picture;
  face: DetectedFace;
  /** Where the photograph can be fetched: its signed URL where it has one, else a `data:` URL. */
  imageUrl: string;
  note: string | null;
  look: Record<string, string> | null;
  signal: AbortSignal;
}

export type StillRefusal = "not_the_same_person" | "bad_request" | "generation_failed";

export type StillAnswer = { ok: true; image: Uint8Array } | { ok: false; error: StillRefusal };

export interface StillGenerator {
  /** Makes one still, a PNG that nobody has looked at. Throws when the generator fails rather than refuses. */
  make(order: StillOrder): Promise<StillAnswer>;
}
