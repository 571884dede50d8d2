// Who makes seated stills. One more generator is one more file, and one more line in `stillGeneratorOf`.

import type { Env } from "../platform/env.ts";
import { httpStillGenerator } from "./http-generator.ts";

export interface StillOrder {
  /** Signed GET of the photograph. */
  imageUrl: string;
  note: string | null;
  look: Record<string, string> | null;
}

export type StillRefusal = "not_the_same_person" | "bad_request" | "generation_failed";

export type StillAnswer =
  | { ok: true; png: Uint8Array<ArrayBuffer>; identityChecked: boolean; identityScore: number | null }
  | { ok: false; error: StillRefusal };

export interface StillGenerator {
  /** Makes one still. Throws when the generator fails rather than refuses. */
  make(order: StillOrder): Promise<StillAnswer>;
}

/** Null when this portal makes none. */
export function stillGeneratorOf({ stillUrl }: Pick<Env, "stillUrl">): StillGenerator | null {
  return stillUrl === null ? null : httpStillGenerator(stillUrl);
}
