// What a card shows of an avatar, fetched when the card comes into sight: its picture or its base loop, and its tones.

import type { Assets, AvatarsApi, ClipList } from "./avatars-api.ts";
import { baseTone, type Tone, tones } from "../../contract/tones.ts";
import { Store } from "../ui/store.ts";

export interface Glimpse {
  /** Signed URL of a still; null when there is none. */
  picture: string | null;
  /** Signed URL of the base loop, asked for only where there is no still to be had. */
  loop: string | null;
  /** Tones with a clip; null when the caller may not know. */
  tones: readonly Tone[] | null;
}

export interface GlimpsesState {
  glimpses: Readonly<Record<string, Glimpse>>;
}

/** Cards come into sight by the dozen; a browser opens six connections to a host, and the page needs some itself. */
const atOnce = 3;

/** The still where there is one, else any picture of the archive. */
export function pictureOf({ assets }: Assets): string | null {
  const images = assets.filter(({ kind }) => kind === "image");
  const still = images.find(({ filename }) => /^(?:still|preview)\b/.test(filename));
  return (still ?? images[0])?.url ?? null;
}

/** Tones whose clip exists, in the vocabulary's own order. */
export function builtTones({ clips }: ClipList): Tone[] {
  const built = new Set(clips.filter(({ state }) => state === "generated").map(({ tone }) => tone));
  return tones.filter((tone) => built.has(tone));
}

interface Wanted {
  id: string;
  mine: boolean;
}

export class GlimpsesStore extends Store<GlimpsesState> {
  readonly #api: Pick<AvatarsApi, "assets" | "clips" | "clipVideo">;
  /** The version of the record that was asked for, by id. */
  readonly #asked = new Map<string, number>();
  readonly #queue: Wanted[] = [];
  #running = 0;

  constructor(api: Pick<AvatarsApi, "assets" | "clips" | "clipVideo">) {
    super({ glimpses: {} });
    this.#api = api;
  }

  /** Fetches what a card shows, once for each version of the record. */
  readonly want = ({ id, mine, version }: Wanted & { version: number }): void => {
    if (this.#asked.get(id) === version) return;
    this.#asked.set(id, version);
    this.#queue.push({ id, mine });
    this.#next();
  };

  /** A signed URL lapsed: the next card in sight asks again. */
  readonly lapsed = (id: string): void => {
    this.#asked.delete(id);
    const { [id]: gone, ...glimpses } = this.get().glimpses;
    if (gone) this.update({ glimpses });
  };

  #next(): void {
    while (this.#running < atOnce) {
      const wanted = this.#queue.shift();
      if (!wanted) return;
      this.#running += 1;
      void this.#fetch(wanted).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** A card without a picture shows its initial, so a part that cannot be had is no error here. */
  async #fetch({ id, mine }: Wanted): Promise<void> {
    const [picture, tones] = mine
      ? await Promise.all([
          this.#api.assets(id).then(pictureOf, () => null),
          this.#api.clips(id).then(builtTones, () => null),
        ])
      : [null, null];
    const mayLoop = picture === null && (tones === null || tones.includes(baseTone));
    const loop = mayLoop
      ? await this.#api.clipVideo(id, baseTone).then(
          ({ url }) => url,
          () => null,
        )
      : null;
    this.update({ glimpses: { ...this.get().glimpses, [id]: { picture, loop, tones } } });
  }
}
