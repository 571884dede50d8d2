import { isDiskFull } from "../failure.ts";
import { encodeClip } from "./clip-encoding.ts";
import { decodeFootage } from "./footage-decoding.ts";
import { storageFull } from "./input.ts";
import { clearLeftovers } from "./leftovers.ts";
import type { ClipRequest, FileFacts, FootageRequest, Media, RecordingRequest } from "./media.ts";
import { PhotoDecoder } from "./photo-decoder.ts";
import { probe } from "./probe.ts";
import type { Programs } from "./programs.ts";
import { mixRecording } from "./recording-mixing.ts";
import { Sandbox } from "./sandbox.ts";
import { decodeSound, type SoundOptions } from "./sound.ts";
import type { Pcm } from "../voices/voice.ts";
import type { Picture } from "./picture.ts";

export interface SandboxedMediaOptions {
  programs: Programs;
  /** Processes at once; more would only take cores away from the session. */
  processes?: number;
  /** Where working folders are made. Default: the system's folder for temporary files. */
  folder?: string;
}

/** Media whose every call runs in a process of its own. */
export class SandboxedMedia implements Media {
  readonly #sandbox: Sandbox;
  readonly #photos: PhotoDecoder;
  readonly #cleared: Promise<void>;

  constructor(options: SandboxedMediaOptions) {
    this.#sandbox = new Sandbox(options);
    this.#photos = new PhotoDecoder(this.#sandbox);
    this.#cleared = clearLeftovers(options.folder);
  }

  /** Ids of the processes that run now. */
  get pids(): number[] {
    return this.#sandbox.pids;
  }

  photo(bytes: Uint8Array, signal?: AbortSignal): Promise<Picture> {
    return ours(this.#photos.decode(bytes, signal));
  }

  async facts(path: string, signal?: AbortSignal): Promise<FileFacts> {
    return (await ours(probe(this.#sandbox, path, signal))).facts;
  }

  sound(path: string, options: SoundOptions): Promise<Pcm> {
    return ours(decodeSound(this.#sandbox, path, options));
  }

  footage(request: FootageRequest): Promise<number> {
    return ours(decodeFootage(this.#sandbox, request));
  }

  clip(request: ClipRequest): Promise<void> {
    return ours(encodeClip(this.#sandbox, request));
  }

  recording(request: RecordingRequest): Promise<void> {
    return ours(mixRecording(this.#sandbox, request));
  }

  async close(): Promise<void> {
    this.#photos.close();
    await Promise.all([this.#sandbox.close(), this.#cleared]);
  }
}

/** A full disk is refused in words, wherever it was met. */
async function ours<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isDiskFull(error) ? storageFull() : error;
  }
}
