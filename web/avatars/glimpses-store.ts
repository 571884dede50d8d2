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

/** A box reports a face ready first and archives its files next: how often, and how long apart, to look for them. */
export const settling = { tries: 8, everyMs: 1500 } as const;

export interface Wanted {
  id: string;
  mine: boolean;
  /** The avatar was ready only just now. */
  fresh: boolean;
}

export class GlimpsesStore extends Store<GlimpsesState> {
  readonly #api: Pick<AvatarsApi, "assets" | "clips" | "clipVideo">;
  /** The version of the record that was asked for, by id. */
  readonly #asked = new Map<string, string>();
  readonly #queue: (Wanted & { triesLeft: number })[] = [];
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #running = 0;
  #disposed = false;

  constructor(api: Pick<AvatarsApi, "assets" | "clips" | "clipVideo">) {
    super({ glimpses: {} });
    this.#api = api;
  }

  /** Fetches what a card shows, once for each version of the record. */
  readonly want = ({ version, ...wanted }: Wanted & { version: string }): void => {
    if (this.#asked.get(wanted.id) === version) return;
    this.#asked.set(wanted.id, version);
    this.#enqueue({ ...wanted, triesLeft: wanted.mine && wanted.fresh ? settling.tries : 0 });
  };

  readonly dispose = (): void => {
    this.#disposed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#queue.length = 0;
  };

  #enqueue(wanted: Wanted & { triesLeft: number }): void {
    this.#queue.push(wanted);
    this.#next();
  }

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
  async #fetch(wanted: Wanted & { triesLeft: number }): Promise<void> {
    const { id, mine, triesLeft } = wanted;
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
    if (picture !== null || triesLeft === 0 || this.#disposed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#enqueue({ ...wanted, triesLeft: triesLeft - 1 });
    }, settling.everyMs);
    this.#timers.add(timer);
  }
}
