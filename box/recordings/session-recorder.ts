// Records one live session to disk while it runs: what was sent to the caller as it was sent, and what their microphone heard.
//
// Two files, either of which is whole at any moment: `live.mkv`, to which is only appended, holds the avatar's picture and voice;
// `microphone.pcm` holds the microphone from the recording's first moment on, with holes where it was silent or off.

import { join } from "node:path";
import {
  AppendOnlyStreamTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MkvOutputFormat,
  Output,
} from "mediabunny";
import type { MediaPacket } from "../../native/binding/index.js";
import { DiskFile } from "./disk-file.ts";
import { nalUnits, videoConfig, withLengths, type VideoConfig } from "./h264.ts";
import { Anchor, LongTimestamps } from "./media-clock.ts";
import { MicrophoneTrack } from "./microphone-track.ts";

export const liveFile = "live.mkv";
export const microphoneFile = "microphone.pcm";

/**
 * Lips move this much later than timestamps say, as browsers play sound later than pictures; what plays a file does not, so the
 * file's sound comes later instead. The encoder's own 6.5 ms are in the sound already.
 */
const soundDelayMs = 20;
const audioRate = 48_000;
/** What storage takes in one piece, less room for the sound that is encoded anew. */
const mostBytes = 4.5 * 1024 ** 3;

export class RecordingTooLong extends Error {
  constructor() {
    super("The recording has reached the largest size that can be stored.");
    this.name = "RecordingTooLong";
  }
}

export interface SessionRecorderOptions {
  /** An existing folder. */
  dir: string;
  /** Once, when it stops before the session ends; what was recorded until then stays. */
  onStopped(error: unknown): void;
  /** Milliseconds of a clock that never goes back (performance.now()). */
  now?: () => number;
  /** Tests put a disk of theirs in place of ours. */
  disk?: Pick<ConstructorParameters<typeof DiskFile>[0], "mostWaiting" | "openFile">;
}

interface Tracks {
  output: Output;
  video: EncodedVideoPacketSource;
  audio: EncodedAudioPacketSource;
}

export class SessionRecorder {
  readonly #options: SessionRecorderOptions;
  readonly #now: () => number;
  readonly #live: DiskFile;
  readonly #heard: DiskFile;
  readonly #microphone = new MicrophoneTrack();
  readonly #anchor = new Anchor();
  readonly #audioTimes = new LongTimestamps(audioRate);
  readonly #videoTimes = new LongTimestamps(90_000);
  #tracks: Tracks | null = null;
  #config: VideoConfig | null = null;
  /** Media time of the recording's first picture, which is a whole one. */
  #startMs: number | null = null;
  #lastVideoMs = 0;
  #lastAudioMs = 0;
  #voiced = false;
  #over = false;
  #work: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(options: SessionRecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    const onFailed = (error: unknown) => this.#stop(error);
    const { dir, disk } = options;
    this.#live = new DiskFile({ ...disk, path: join(dir, liveFile), onFailed });
    this.#heard = new DiskFile({ ...disk, path: join(dir, microphoneFile), onFailed });
  }

  get recording(): boolean {
    return !this.#over;
  }

  /** Everything that was sent, in order. Takes no time, and never throws. */
  packets(packets: readonly MediaPacket[]): void {
    if (this.#over) return;
    try {
      for (const packet of packets) {
        if (packet.kind === "audio") this.#audio(packet);
        else this.#video(packet);
      }
    } catch (error) {
      this.#stop(error);
    }
  }

  /** What the microphone heard while it was on: mono PCM at 16 kHz. Never throws. */
  hear(samples: Int16Array): void {
    const zeroMs = this.#anchor.zeroMs;
    if (this.#over || zeroMs === null || this.#startMs === null) return;
    const zero = zeroMs + this.#startMs - soundDelayMs;
    const at = this.#microphone.place(samples.length, { nowMs: this.#now(), zeroMs: zero });
    const kept = at < 0 ? samples.subarray(-at) : samples;
    const bytes = Buffer.alloc(kept.length * 2);
    for (const [index, sample] of kept.entries()) bytes.writeInt16LE(sample, index * 2);
    this.#heard.write(bytes, Math.max(0, at) * 2);
  }

  /** The microphone was off, or is another one now. */
  deafened(): void {
    this.#microphone.restart();
  }

  /** The session is over. Resolves once everything is on disk; never rejects. */
  end(): Promise<void> {
    this.#over = true;
    return (this.#closing ??= this.#close());
  }

  #stop(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.onStopped(error);
    this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const tracks = this.#tracks;
    this.#tracks = null;
    await this.#work.catch(() => undefined);
    // Packets of one track wait in it for those of the other.
    await tracks?.output.finalize().catch((error: unknown) => this.#options.onStopped(error));
    await Promise.all([this.#live.end(), this.#heard.end()]);
  }

  #audio({ data, timestamp }: MediaPacket): void {
    const mediaMs = this.#audioTimes.toMs(timestamp);
    this.#anchor.seen(mediaMs, this.#now());
    if (this.#startMs === null || mediaMs < this.#startMs || !this.#tracks) return;
    const atMs = Math.max(this.#lastAudioMs, mediaMs - this.#startMs + soundDelayMs);
    this.#lastAudioMs = atMs;
    const packet = new EncodedPacket(data, "key", atMs / 1000, 0.02);
    const first = !this.#voiced;
    this.#voiced = true;
    const channels = ((data[0] ?? 0) & 4) === 0 ? 1 : 2;
    this.#add(this.#tracks.audio.add(packet, first ? { decoderConfig: opusConfig(channels) } : undefined));
  }

  #video({ data, timestamp, keyframe }: MediaPacket): void {
    const mediaMs = this.#videoTimes.toMs(timestamp);
    const units = nalUnits(data);
    if (this.#startMs === null) {
      const config = keyframe ? videoConfig(units) : null;
      if (!config) return;
      this.#startMs = mediaMs;
      this.#config = config;
      this.#tracks = this.#open();
    }
    if (!this.#tracks) return;
    if (this.#live.size + this.#heard.size > mostBytes) throw new RecordingTooLong();
    const first = this.#config;
    this.#config = null;
    const atMs = Math.max(this.#lastVideoMs, mediaMs - this.#startMs);
    this.#lastVideoMs = atMs;
    const packet = new EncodedPacket(withLengths(units), keyframe ? "key" : "delta", atMs / 1000, 0);
    this.#add(this.#tracks.video.add(packet, first ? { decoderConfig: first } : undefined));
  }

  #open(): Tracks {
    const live = this.#live;
    const writable = new WritableStream<Uint8Array>({
      // The muxer may use its memory again.
      write: (bytes) => live.write(bytes.slice()),
    });
    const output = new Output({
      format: new MkvOutputFormat({ appendOnly: true, minimumClusterDuration: 1 }),
      target: new AppendOnlyStreamTarget(writable),
    });
    const [video, audio] = [new EncodedVideoPacketSource("avc"), new EncodedAudioPacketSource("opus")];
    output.addVideoTrack(video);
    output.addAudioTrack(audio);
    this.#add(output.start());
    return { output, video, audio };
  }

  #add(work: Promise<unknown>): void {
    this.#work = work;
    work.catch((error: unknown) => this.#stop(error));
  }
}

function opusConfig(numberOfChannels: number): AudioDecoderConfig {
  const description = Buffer.alloc(19);
  description.write("OpusHead", 0, "latin1");
  description[8] = 1;
  description[9] = numberOfChannels;
  description.writeUInt32LE(audioRate, 12);
  return { codec: "opus", numberOfChannels, sampleRate: audioRate, description };
}
