// Files that strangers sent are decoded, and files of ours encoded, in processes with little memory, little time, none of our
// environment, and no way to more power. Where the machine allows it they have no network; they read what the box's user
// may read, and under root, where that would be everything, strangers' files are opened as nobody. Whatever such a process
// does, the session goes on.

import type { Picture } from "./picture.ts";
import type { Pcm } from "../voices/voice.ts";

/** What a file says of itself; nothing has been decoded yet. */
export interface FileFacts {
  /** Of the container, as FFmpeg names it: `mov,mp4,m4a,3gp,3g2,mj2`. */
  container: string;
  /** Null where it does not say, as browsers' recordings do not. */
  durationSeconds: number | null;
  /** Upright, with square pixels: its display matrix and the shape of its pixels are heeded. */
  video: { codec: string; width: number; height: number; fps: number } | null;
  audio: { codec: string; sampleRate: number; channels: number } | null;
}

/** A rectangle of the upright picture, in its pixels. It may reach outside, where the picture's edges are drawn out. */
export interface Region {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface FootageRequest {
  path: string;
  fromSeconds: number;
  seconds: number;
  fps: number;
  /** Default: the whole picture. */
  region?: Region;
  /** Of the frames; even. */
  width: number;
  height: number;
  /** Frames are written here as I420 (BT.709, limited range), one after another. */
  outPath: string;
  signal?: AbortSignal;
}

export interface ClipRequest {
  /** I420 frames, one after another. */
  framesPath: string;
  width: number;
  height: number;
  fps: number;
  outPath: string;
  signal?: AbortSignal;
}

export interface RecordingRequest {
  /** Matroska: H.264 and Opus, cut short by a crash or not. */
  livePath: string;
  /** 16-bit mono PCM at 16 kHz that begins with the other; need not exist. */
  microphonePath: string;
  outPath: string;
  signal?: AbortSignal;
}

/** Every method rejects with MediaError for a file that is at fault, and with another Error for a fault of ours. */
export interface Media {
  /** A PNG or JPEG: upright, sRGB, in size limits. */
  photo(bytes: Uint8Array, signal?: AbortSignal): Promise<Picture>;
  facts(path: string, signal?: AbortSignal): Promise<FileFacts>;
  /** The first sound track, mixed to mono. */
  sound(
    path: string,
    options: { sampleRate: number; maxSeconds: number; signal?: AbortSignal },
  ): Promise<Pcm>;
  /** Returns how many frames were written. */
  footage(request: FootageRequest): Promise<number>;
  /** An H.264 MP4 that plays while it loads, marked as made by AI. */
  clip(request: ClipRequest): Promise<void>;
  /** An MP4 of a session's recording, with both sides in one sound track; marked as made by AI in part. */
  recording(request: RecordingRequest): Promise<void>;
  /** Ends whatever runs. */
  close(): Promise<void>;
}

export type MediaFault = "unreadable" | "unsupported" | "too_large" | "too_long" | "too_slow";

/** A file that cannot be used. The message may be shown to whoever sent it. */
export class MediaError extends Error {
  readonly fault: MediaFault;

  constructor(fault: MediaFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MediaError";
    this.fault = fault;
  }
}
