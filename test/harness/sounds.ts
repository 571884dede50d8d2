// What a page plays through media elements that need not be in its document.

import type { Page } from "playwright-core";

export interface Sound {
  /** Seconds. */
  playedTo: number;
  ended: boolean;
  /** The loudest sample of the whole sound, 0..1; null until it is decoded, and for what the page did not fetch itself. */
  peak: number | null;
}

interface Heard {
  element: HTMLMediaElement;
  sound: Sound;
}

/** Notes every sound that the page starts to play from its next load on. */
export async function keepSounds(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const heard: Heard[] = [];
    (globalThis as unknown as { heard: Heard[] }).heard = heard;
    const prototype = HTMLMediaElement.prototype;
    const play = prototype.play;
    // The page's policy lets nothing read what such an address leads to, so the bytes are taken where it is made.
    const blobs = new Map<string, Blob>();
    const createObjectURL = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (object: Blob | MediaSource) => {
      const url = createObjectURL(object);
      if (object instanceof Blob) blobs.set(url, object);
      return url;
    };
    async function measure(blob: Blob | undefined, sound: Sound): Promise<void> {
      if (!blob) return;
      const bytes = await blob.arrayBuffer();
      const decoded = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes);
      sound.peak = decoded.getChannelData(0).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
    }
    prototype.play = function (this: HTMLMediaElement) {
      if (this instanceof HTMLAudioElement) {
        const sound: Sound = { playedTo: 0, ended: false, peak: null };
        heard.push({ element: this, sound });
        this.addEventListener("timeupdate", () => {
          sound.playedTo = Math.max(sound.playedTo, this.currentTime);
        });
        this.addEventListener("ended", () => {
          sound.ended = true;
        });
        void measure(blobs.get(this.src), sound);
      }
      return play.call(this);
    };
  });
}

/** The sounds played since the page was loaded. */
export function sounds(page: Page): Promise<Sound[]> {
  return page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard.map(({ sound }) => sound));
}
