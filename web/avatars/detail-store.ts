// One avatar in full: its files, its clips, and the video of the tone that was asked for.

import { variantId } from "../../contract/avatars.ts";
import type { Tone } from "../../contract/tones.ts";
import { refusalFromError } from "../faces/refusals.ts";
import { asVisavisError, type Client, type VisavisError } from "../sdk/index.ts";
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
  /** Why a tone is not being made, though it was asked for. */
  refused: { tone: Tone; problem: string } | null;
}

type DetailApi = Pick<AvatarsApi, "assets" | "clips" | "clipVideo"> & Pick<Client, "retryClip">;

/** Making a tone takes about a minute. */
const clipPollMs = 3000;

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
    super({ assets: initial, clips: initial, playing: null, refused: null });
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
    if (clips.status === "ready" && clips.value.clips.some(({ state }) => state === "generating")) {
      this.#timer = setTimeout(() => void this.#read(reading, triesLeft), clipPollMs);
      return;
    }
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

  /** Has a tone made, or made again; the clips tell how it goes. */
  readonly make = async (tone: Tone): Promise<void> => {
    this.update({ refused: null });
    try {
      await this.#api.retryClip(this.#id, tone);
      this.#setGenerating(tone);
      this.dispose();
      const reading = this.#reading;
      this.#timer = setTimeout(() => void this.#read(reading, 0), clipPollMs);
    } catch (thrown) {
      const { title, detail } = refusalFromError(asVisavisError(thrown));
      this.update({ refused: { tone, problem: `${title}. ${detail}` } });
    }
  };

  /** The box has begun; its report reaches the portal a moment later. */
  #setGenerating(tone: Tone): void {
    const { clips } = this.get();
    if (clips.status !== "ready") return;
    const before = clips.value.clips.find((clip) => clip.tone === tone);
    const clip = {
      variant_id: variantId(this.#id, tone),
      ...before,
      tone,
      state: "generating" as const,
      duration_s: null,
      updated_at: Math.floor(Date.now() / 1000),
      detail: "",
    };
    const others = clips.value.clips.filter((one) => one.tone !== tone);
    this.update({ clips: { status: "ready", value: { ...clips.value, clips: [...others, clip] } } });
  }

  readonly stop = (): void => {
    this.#play += 1;
    this.update({ playing: null });
  };
}
