// Media without processes: photographs are decoded for real, everything else is what the test says it is.

import { open, readFile, rename, writeFile } from "node:fs/promises";
import type { Picture } from "../media/picture.ts";
import {
  MediaError,
  type ClipRequest,
  type FileFacts,
  type FootageRequest,
  type Media,
  type RecordingRequest,
} from "../media/media.ts";
import { decodePicture } from "../media/photo-decoding.ts";
import type { Pcm } from "../voices/voice.ts";

/** What the fake takes every file for unless a test says otherwise: three seconds of a person who speaks. */
const ordinaryFacts: FileFacts = {
  container: "mov,mp4,m4a,3gp,3g2,mj2",
  durationSeconds: 3,
  video: { codec: "h264", width: 720, height: 720, fps: 25 },
  audio: { codec: "aac", sampleRate: 48_000, channels: 2 },
};

export class FakeMediaFiles implements Media {
  /** By path; `facts` is asked first. A MediaError is thrown instead of being answered. */
  readonly files = new Map<string, Partial<FileFacts> | MediaError>();
  /** Of every file that `files` does not name. */
  otherFiles: FileFacts = ordinaryFacts;
  /** Makes the pixels of a frame: I420, `width * height * 3 / 2` bytes. Default: grey. */
  paint: (frame: number, request: FootageRequest) => Uint8Array = (_, { width, height }) =>
    new Uint8Array(width * height * 1.5).fill(128);
  /** Everything asked for, in order. */
  readonly calls: { method: keyof Media; path: string }[] = [];
  /** Every call waits for this. */
  gate: Promise<void> = Promise.resolve();
  /** Every call fails with this. */
  broken: Error | null = null;
  closed = false;

  async photo(bytes: Uint8Array, signal?: AbortSignal): Promise<Picture> {
    await this.#enter("photo", "", signal);
    return decodePicture(bytes);
  }

  async facts(path: string, signal?: AbortSignal): Promise<FileFacts> {
    await this.#enter("facts", path, signal);
    return this.#factsOf(path);
  }

  /** A tone of 220 Hz, as long as the file. */
  async sound(
    path: string,
    { sampleRate, maxSeconds, signal }: { sampleRate: number; maxSeconds: number; signal?: AbortSignal },
  ): Promise<Pcm> {
    await this.#enter("sound", path, signal);
    const { audio, durationSeconds } = this.#factsOf(path);
    if (!audio) throw new MediaError("unsupported", "The file has no sound.");
    const seconds = durationSeconds ?? 0;
    if (seconds > maxSeconds) {
      throw new MediaError("too_long", `The sound is longer than ${maxSeconds} seconds.`);
    }
    const samples = Int16Array.from({ length: Math.round(seconds * sampleRate) }, (_, index) =>
      Math.round(8_000 * Math.sin((2 * Math.PI * 220 * index) / sampleRate)),
    );
    return { samples, sampleRate };
  }

  async footage(request: FootageRequest): Promise<number> {
    await this.#enter("footage", request.path, request.signal);
    const { video, durationSeconds } = this.#factsOf(request.path);
    if (!video) throw new MediaError("unsupported", "The file has no picture.");
    const seconds = Math.min(request.seconds, (durationSeconds ?? 0) - request.fromSeconds);
    const frames = Math.max(0, Math.round(seconds * request.fps));
    if (frames === 0) throw new MediaError("unreadable", "The video has no frames there.");
    const out = await open(request.outPath, "w");
    try {
      for (let frame = 0; frame < frames; frame += 1) await out.write(this.paint(frame, request));
    } finally {
      await out.close();
    }
    return frames;
  }

  /** Writes a few bytes that begin as an MP4 does, and how many frames went in. */
  async clip({ framesPath, width, height, outPath, signal }: ClipRequest): Promise<void> {
    await this.#enter("clip", framesPath, signal);
    const frames = (await readFile(framesPath)).length / (width * height * 1.5);
    await writeFile(`${outPath}.part`, `\0\0\0\x18ftypisom frames=${frames}`);
    await rename(`${outPath}.part`, outPath);
  }

  /** Writes a few bytes that begin as an MP4 does. */
  async recording({ livePath, outPath, signal }: RecordingRequest): Promise<void> {
    await this.#enter("recording", livePath, signal);
    await writeFile(`${outPath}.part`, "\0\0\0\x18ftypisom of a session");
    await rename(`${outPath}.part`, outPath);
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  async #enter(method: keyof Media, path: string, signal: AbortSignal | undefined): Promise<void> {
    this.calls.push({ method, path });
    if (this.closed) throw new Error("Media was closed.");
    signal?.throwIfAborted();
    await this.gate;
    signal?.throwIfAborted();
    if (this.broken) throw this.broken;
  }

  #factsOf(path: string): FileFacts {
    const said = this.files.get(path);
    if (said instanceof MediaError) throw said;
    return { ...this.otherFiles, ...said };
  }
}
