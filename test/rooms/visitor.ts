// A participant made with LiveKit's own client: enters a room, records what it hears and sees, speaks a tone.

import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  LocalVideoTrack,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoCodec,
  VideoFrame,
  VideoSource,
  VideoStream,
  type LocalParticipant,
  type RemoteTrack,
} from "@livekit/rtc-node";

/** 10 ms or so of sound. */
export interface Sound {
  /** performance.now() at arrival, milliseconds. */
  atMs: number;
  /** Of full scale 32768. */
  rms: number;
  durationMs: number;
  zeroCrossings: number;
}

export interface Picture {
  /** performance.now() at arrival, milliseconds. */
  atMs: number;
  /** The frame's own clock, milliseconds. */
  mediaMs: number;
  width: number;
  height: number;
  /** Mean and standard deviation of the luma, 0..255. */
  mean: number;
  spread: number;
}

export interface Happening {
  event: string;
  /** Identity, track name or state that it is about. */
  about: string;
}

/** Loudness that only a voice or a tone reaches; the codec's silence stays under 50. */
export const audible = ({ rms }: Sound): boolean => rms > 300;

export class Visitor {
  readonly room = new Room();
  readonly happenings: Happening[] = [];
  /** What is heard and seen, by the publisher's identity. */
  readonly sounds = new Map<string, Sound[]>();
  readonly pictures = new Map<string, Picture[]>();
  #stops: (() => void)[] = [];
  #left = false;

  static async enter(
    url: string,
    token: string,
    options: { autoSubscribe?: boolean } = {},
  ): Promise<Visitor> {
    const visitor = new Visitor();
    visitor.#watch();
    await visitor.room.connect(url, token, {
      autoSubscribe: options.autoSubscribe ?? true,
      dynacast: false,
    });
    return visitor;
  }

  get local(): LocalParticipant {
    if (!this.room.localParticipant) throw new Error("This visitor is in no room.");
    return this.room.localParticipant;
  }

  heard(identity: string): Sound[] {
    return this.sounds.get(identity) ?? [];
  }

  seen(identity: string): Picture[] {
    return this.pictures.get(identity) ?? [];
  }

  /** How often something happened, to anybody or to one. */
  count(event: string, about?: string | number): number {
    return this.happenings.filter(
      (each) => each.event === event && (about === undefined || each.about === String(about)),
    ).length;
  }

  #note(event: string, about: unknown = ""): void {
    this.happenings.push({ event, about: String(about) });
  }

  #watch(): void {
    const { room } = this;
    room.on(RoomEvent.ParticipantConnected, ({ identity }) => this.#note("entered", identity));
    room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => this.#note("left", identity));
    room.on(RoomEvent.TrackPublished, ({ name }) => this.#note("published", name));
    room.on(RoomEvent.TrackUnpublished, ({ name }) => this.#note("unpublished", name));
    room.on(RoomEvent.TrackSubscribed, (track, publication, { identity }) => {
      this.#note("subscribed", publication.name);
      const taken =
        publication.kind === TrackKind.KIND_AUDIO ? this.#hear(track, identity) : this.#see(track, identity);
      taken.catch(() => {
        // The track was gone again before its stream could be opened.
      });
    });
    room.on(RoomEvent.TrackUnsubscribed, (_, { name }) => this.#note("unsubscribed", name));
    room.on(RoomEvent.Reconnecting, () => this.#note("reconnecting"));
    room.on(RoomEvent.Reconnected, () => this.#note("reconnected"));
    room.on(RoomEvent.Disconnected, (reason) => this.#note("disconnected", reason));
    room.on(RoomEvent.ParticipantAttributesChanged, (_, { identity }) => this.#note("attributes", identity));
    room.on(RoomEvent.DataReceived, (payload, from, _kind, topic) =>
      this.#note(`data ${topic ?? ""}`, `${from?.identity}: ${Buffer.from(payload).toString()}`),
    );
  }

  async #hear(track: RemoteTrack, identity: string): Promise<void> {
    const sounds = this.sounds.get(identity) ?? [];
    this.sounds.set(identity, sounds);
    for await (const frame of new AudioStream(track, { sampleRate: 48_000, numChannels: 1 })) {
      const durationMs = frame.samplesPerChannel / 48;
      sounds.push({ atMs: performance.now(), durationMs, ...loudness(frame.data) });
    }
  }

  async #see(track: RemoteTrack, identity: string): Promise<void> {
    const pictures = this.pictures.get(identity) ?? [];
    this.pictures.set(identity, pictures);
    for await (const { frame, timestampUs } of new VideoStream(track)) {
      const { width, height } = frame;
      const mediaMs = Number(timestampUs) / 1000;
      pictures.push({
        atMs: performance.now(),
        mediaMs,
        width,
        height,
        ...light(frame.data, width * height),
      });
    }
  }

  /** Publishes a sine until the visitor leaves or the returned function is called. */
  async speakTone(hertz: number, name = "tone"): Promise<{ stop(): Promise<void> }> {
    const source = new AudioSource(48_000, 1);
    const track = LocalAudioTrack.createAudioTrack(name, source);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    const publication = await this.local.publishTrack(track, options);
    let speaking = true;
    this.#stops.push(() => (speaking = false));
    const feed = async () => {
      for (let at = 0; speaking; at += 480) {
        await source.captureFrame(new AudioFrame(tone({ hertz, from: at, count: 480 }), 48_000, 1, 480));
      }
    };
    const fed = feed().catch(() => {
      // The room was left while a frame waited for its turn.
    });
    return {
      stop: async () => {
        speaking = false;
        await fed;
        await this.local.unpublishTrack(publication.sid ?? "");
      },
    };
  }

  /** Publishes a moving gradient of 25 pictures a second. */
  async showGradient(name = "gradient", size = 320): Promise<void> {
    const source = new VideoSource(size, size);
    const track = LocalVideoTrack.createVideoTrack(name, source);
    const options = new TrackPublishOptions({
      source: TrackSource.SOURCE_CAMERA,
      simulcast: false,
      videoCodec: VideoCodec.H264,
      videoEncoding: { maxBitrate: 1_000_000n, maxFramerate: 25 },
    });
    await this.local.publishTrack(track, options);
    let frame = 0;
    const timer = setInterval(() => {
      const data = gradient(size, frame * 4);
      source.captureFrame(new VideoFrame(data, size, size, VideoBufferType.I420), BigInt(frame * 40_000));
      frame += 1;
    }, 40);
    this.#stops.push(() => clearInterval(timer));
  }

  async leave(): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    for (const stop of this.#stops) stop();
    await this.room.disconnect();
  }
}

/** A sine at a quarter of full scale; `from` and `count` in samples of 1/48000 s. */
export function tone({
  hertz,
  from,
  count,
  rate = 48_000,
}: {
  hertz: number;
  from: number;
  count: number;
  rate?: number;
}): Int16Array {
  return Int16Array.from({ length: count }, (_, index) =>
    Math.round(8192 * Math.sin((2 * Math.PI * hertz * (from + index)) / rate)),
  );
}

/** What a stretch of sound is mostly made of, hertz: from its zero crossings, so for clean tones only. */
export function pitch(sounds: readonly Sound[]): number {
  const crossings = sounds.reduce((sum, { zeroCrossings }) => sum + zeroCrossings, 0);
  const durationMs = sounds.reduce((sum, sound) => sum + sound.durationMs, 0);
  return durationMs === 0 ? 0 : (crossings * 500) / durationMs;
}

function loudness(samples: Int16Array): { rms: number; zeroCrossings: number } {
  let power = 0;
  let zeroCrossings = 0;
  let previous = samples[0] ?? 0;
  for (const sample of samples) {
    power += sample * sample;
    if (sample >= 0 !== previous >= 0) zeroCrossings += 1;
    previous = sample;
  }
  return { rms: Math.sqrt(power / Math.max(1, samples.length)), zeroCrossings };
}

function light(data: Uint8Array, pixels: number): { mean: number; spread: number } {
  // Every eleventh pixel: enough to tell a picture from a plane, on a machine that decodes as well.
  const step = 11;
  let [sum, squares, count] = [0, 0, 0];
  for (let at = 0; at < pixels; at += step) {
    const luma = data[at] ?? 0;
    sum += luma;
    squares += luma * luma;
    count += 1;
  }
  const mean = sum / count;
  return { mean, spread: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

function gradient(size: number, shift: number): Uint8Array {
  const data = new Uint8Array((size * size * 3) / 2).fill(128);
  for (let at = 0; at < size * size; at += 1) data[at] = ((at % size) + Math.floor(at / size) + shift) & 255;
  return data;
}
