// What a generator of seated stills is asked for, and what it may answer.

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
