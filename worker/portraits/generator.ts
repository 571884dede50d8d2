// What a generator of portraits is asked for.

export interface PortraitOrder {
  /** The description in the person's own words: handed to the generator, and to nobody else. */
  persona: string;
  /** 0 to 2^32 - 1; the same order always asks for the same face. */
  seed: number;
}

export interface PortraitGenerator {
  /** The bytes of a PNG. Throws when there is none. */
  draw(order: PortraitOrder): Promise<Uint8Array<ArrayBuffer>>;
}

/** Side of a portrait in pixels. A box frames the bust of it to 512. */
export const portraitSide = 640;

/** The seed of a portrait: the first 32 of the random bits that its id, a UUID of version 4, is made of. */
export function seedOf(portraitId: string): number {
  return Number.parseInt(portraitId.slice(0, 8), 16);
}
