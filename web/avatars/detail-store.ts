// One avatar in full: its files, its clips, and the video of the tone that was asked for.

import type { Tone } from "../../contract/tones.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { Assets, AvatarsApi, ClipList } from "./avatars-api.ts";
import { settling } from "./glimpses-store.ts";

export type Part<Value> =
  | { status: "loading" }
  | { status: "ready"; value: Value }
  | { status: "error"; error: VisavisError }
  /** Only the owner may know. */
  | { status: "hidden" };

export interface Playing {
  tone: Tone;
  /** Null while it is being fetched, and when it cannot be had. */
  url: string | null;
  problem: string | null;
}

export interface DetailState {
  assets: Part<Assets>;
  clips: Part<ClipList>;
  playing: Playing | null;
}

type DetailApi = Pick<AvatarsApi, "assets" | "clips" | "clipVideo">;

async function read<Value>(promise: Promise<Value>): Promise<Part<Value>> {
  try {
    return { status: "ready", value: await promise };
  } catch (thrown) {
    return { status: "error", error: asVisavisError(thrown) };
  }
}

export class DetailStore extends Store<DetailState> {
  readonly #api: DetailApi;
  readonly #id: string;
  readonly #mine: boolean;
  /** The call that may still change what is playing; an older one is no longer of interest. */
  #play = 0;
  /** The reading that may still be shown. */
  #reading = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: DetailApi, { id, mine }: { id: string; mine: boolean }) {
    const initial = { status: mine ? "loading" : "hidden" } as const;
    super({ assets: initial, clips: initial, playing: null });
    this.#api = api;
    this.#id = id;
    this.#mine = mine;
  }

  /** With `fresh`, the avatar was ready only just now: files that are not there yet are looked for again. */
  readonly load = async ({ fresh = false } = {}): Promise<void> => {
    this.dispose();
    if (this.#mine) await this.#read(this.#reading, fresh ? settling.tries : 0);
  };

  /** Ends the reading under way; what is shown stays. */
  readonly dispose = (): void => {
    this.#reading += 1;
    clearTimeout(this.#timer);
  };

  async #read(reading: number, triesLeft: number): Promise<void> {
    const [assets, clips] = await Promise.all([
      read(this.#api.assets(this.#id)),
      read(this.#api.clips(this.#id)),
    ]);
    if (reading !== this.#reading) return;
    this.update({ assets, clips });
    const missing = assets.status === "ready" && assets.value.assets.length === 0;
    if (!missing || triesLeft === 0) return;
    this.#timer = setTimeout(() => void this.#read(reading, triesLeft - 1), settling.everyMs);
  }

  /**
   * Fetches a fresh URL each time: they live for a quarter of an hour. Nothing is said of a clip that cannot be had where
   * nobody asked for it.
   */
  readonly play = async (tone: Tone, { asked = true } = {}): Promise<void> => {
    this.#play += 1;
    const turn = this.#play;
    this.update({ playing: { tone, url: null, problem: null } });
    let playing: Playing | null;
    try {
      playing = { tone, url: (await this.#api.clipVideo(this.#id, tone)).url, problem: null };
    } catch (thrown) {
      const error = asVisavisError(thrown);
      const problem = error.code === "unknown_avatar" ? "There is no clip of this tone." : error.message;
      playing = asked ? { tone, url: null, problem } : null;
    }
    if (turn === this.#play) this.update({ playing });
  };

  readonly stop = (): void => {
    this.#play += 1;
    this.update({ playing: null });
  };
}
