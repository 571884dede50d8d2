// Where the stream is seen and heard: a video element, found late or early, muted or not.

import { clientError } from "./errors.ts";

export interface VideoOutputOptions {
  /** The first picture of the present stream is on the screen. */
  onFirstFrame(): void;
  /** The browser refused to play with sound. */
  onBlocked(): void;
}

export class VideoOutput {
  readonly #options: VideoOutputOptions;
  #stream: MediaStream | null = null;
  #element: HTMLVideoElement | null = null;
  #muted = false;

  constructor(options: VideoOutputOptions) {
    this.#options = options;
  }

  get muted(): boolean {
    return this.#muted;
  }

  /** An empty stream for a new session, shown in the element at once. */
  renew(): MediaStream {
    this.#stream = new MediaStream();
    this.#show();
    return this.#stream;
  }

  attach(elementOrId: HTMLVideoElement | string): void {
    const element = typeof elementOrId === "string" ? document.getElementById(elementOrId) : elementOrId;
    if (!(element instanceof HTMLVideoElement)) {
      throw clientError("no_video_element", "The stream needs a <video> element to be shown in.");
    }
    if (this.#element && this.#element !== element) this.#element.srcObject = null;
    this.#element = element;
    element.autoplay = true;
    element.playsInline = true;
    element.muted = this.#muted;
    this.#show();
  }

  setMuted(muted: boolean): void {
    this.#muted = muted;
    if (this.#element) this.#element.muted = muted;
  }

  #show(): void {
    const element = this.#element;
    const stream = this.#stream;
    if (!element || !stream || element.srcObject === stream) return;
    element.srcObject = stream;
    const first = () => {
      if (this.#stream === stream) this.#options.onFirstFrame();
    };
    if ("requestVideoFrameCallback" in element) element.requestVideoFrameCallback(first);
    else (element as HTMLVideoElement).addEventListener("playing", first, { once: true });
    // Rejections other than the autoplay policy's are a stream that was replaced while it started; nothing to do then.
    element.play().catch((thrown: unknown) => {
      if (!(thrown instanceof DOMException) || thrown.name !== "NotAllowedError" || element.muted) return;
      element.muted = true;
      this.#muted = true;
      this.#options.onBlocked();
      element.play().catch(() => undefined);
    });
  }
}
