// The person's microphone: asked for, read on the audio thread, and given back whole.

/// <reference types="vite/client" />

import { clientError, VisavisError } from "./errors.ts";
import type { MicrophoneFrame } from "./microphone-frames.ts";

/** The name that the worklet registers itself under. */
const processorName = "visavis-microphone";

export interface CaptureOptions {
  /** One of `navigator.mediaDevices.enumerateDevices()`; the browser's choice unless given. */
  deviceId?: string | undefined;
  /** Where the worklet's script is; the bundled one unless given. */
  workletUrl?: string | undefined;
  signal: AbortSignal;
  onFrame(frame: MicrophoneFrame): void;
  /** The device is gone, or the person took the permission back. Fired at most once. */
  onLost(error: VisavisError): void;
}

/** What a browser's refusal means to the person. */
function refusal(thrown: unknown): VisavisError {
  switch (thrown instanceof Error ? thrown.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return clientError(
        "microphone_denied",
        "The browser keeps the microphone from this page. Allow it in the site's settings, then try again.",
        thrown,
      );
    case "NotFoundError":
    case "OverconstrainedError":
      return clientError(
        "microphone_missing",
        "No microphone was found. Connect one, then try again.",
        thrown,
      );
    default:
      return clientError(
        "microphone_unavailable",
        "The microphone could not be opened; another program may be using it.",
        thrown,
      );
  }
}

function requireBrowser(): void {
  if (globalThis.isSecureContext === false) {
    throw clientError(
      "microphone_insecure",
      "Browsers give a page the microphone over https or on localhost only.",
    );
  }
  if (!globalThis.navigator?.mediaDevices?.getUserMedia || typeof AudioWorkletNode === "undefined") {
    throw clientError(
      "unsupported_browser",
      "This browser cannot read a microphone (AudioWorklet is missing).",
    );
  }
}

async function bundledWorklet(): Promise<string> {
  const { default: url } = await import("./microphone-worklet.ts?worker&url");
  return url;
}

export class Capture {
  readonly #options: CaptureOptions;
  #stream: MediaStream | null = null;
  #context: AudioContext | null = null;
  #node: AudioWorkletNode | null = null;
  #closed = false;

  private constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** Resolves when sound flows. Rejects with a `VisavisError`, having freed everything. */
  static async open(options: CaptureOptions): Promise<Capture> {
    requireBrowser();
    const capture = new Capture(options);
    const close = () => capture.close();
    options.signal.addEventListener("abort", close);
    try {
      await capture.#open();
      return capture;
    } catch (thrown) {
      capture.close();
      throw options.signal.aborted
        ? clientError("aborted", "The microphone was switched off.", thrown)
        : thrown;
    } finally {
      options.signal.removeEventListener("abort", close);
    }
  }

  /** A muted track delivers silence, and browsers show that they do not listen. */
  setMuted(muted: boolean): void {
    for (const track of this.#stream?.getTracks() ?? []) track.enabled = !muted;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#node?.port.removeEventListener("message", this.#onMessage);
    this.#node?.port.postMessage("stop", []);
    this.#node?.port.close();
    this.#node?.disconnect();
    for (const track of this.#stream?.getTracks() ?? []) {
      track.removeEventListener("ended", this.#onEnded);
      track.stop();
    }
    this.#context?.removeEventListener("statechange", this.#onContextState);
    this.#context?.close().catch(() => undefined);
    this.#stream = null;
    this.#context = null;
    this.#node = null;
  }

  async #open(): Promise<void> {
    const { deviceId, workletUrl, signal } = this.#options;
    const audio: MediaTrackConstraints = {
      channelCount: 1,
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      ...(deviceId === undefined ? {} : { deviceId: { exact: deviceId } }),
    };
    const stream = await navigator.mediaDevices.getUserMedia({ audio }).catch((thrown: unknown) => {
      throw refusal(thrown);
    });
    this.#stream = stream;
    if (this.#closed) {
      // Switched off while the browser asked: what it granted is given back at once.
      for (const track of stream.getTracks()) track.stop();
      signal.throwIfAborted();
    }
    for (const track of stream.getAudioTracks()) {
      track.contentHint = "speech";
      track.addEventListener("ended", this.#onEnded);
    }
    try {
      // The context keeps the device's rate: Firefox joins no stream to a context of another, and the worklet resamples.
      const context = new AudioContext({ latencyHint: "interactive" });
      this.#context = context;
      context.addEventListener("statechange", this.#onContextState);
      await context.audioWorklet.addModule(workletUrl ?? (await bundledWorklet()));
      signal.throwIfAborted();
      const node = new AudioWorkletNode(context, processorName, {
        numberOfInputs: 1,
        numberOfOutputs: 1,
        channelCount: 1,
        channelCountMode: "explicit",
      });
      this.#node = node;
      node.port.addEventListener("message", this.#onMessage);
      node.port.start();
      context.createMediaStreamSource(stream).connect(node);
      // Some browsers run only what leads to a destination; the node's output is silence.
      node.connect(context.destination);
      // Not awaited: without a gesture a browser may hold this back until there is one.
      this.#onContextState();
    } catch (thrown) {
      if (thrown instanceof VisavisError) throw thrown;
      throw clientError("microphone_unavailable", "The browser could not read the microphone.", thrown);
    }
  }

  readonly #onMessage = (event: MessageEvent<MicrophoneFrame>): void => this.#options.onFrame(event.data);

  /** A telephone call suspends a page's sound on some devices; it goes on when the system allows. */
  readonly #onContextState = (): void => {
    const context = this.#context;
    if (context && context.state !== "running" && context.state !== "closed") {
      context.resume().catch(() => undefined);
    }
  };

  readonly #onEnded = (): void => {
    if (this.#closed) return;
    this.close();
    this.#options.onLost(
      clientError("microphone_lost", "The microphone was unplugged, or its permission taken back."),
    );
  };
}
