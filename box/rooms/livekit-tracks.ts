// The avatar's sound and picture on their way into a room.

import { setTimeout as sleep } from "node:timers/promises";
import type { Room } from "@livekit/rtc-node";
import type { RoomTracks } from "./connection.ts";
import type { LiveKit } from "./livekit-client.ts";
import { within } from "./patience.ts";

const sampleRate = 48_000;
/** What WebRTC takes at once when nothing is queued in between: 10 ms. */
const frameSamples = sampleRate / 100;
/** The defaults of rooms (VP8, 300 kbit/s, several layers) make a face of 512x512 look black or lag. */
const bitrateBps = 2_000_000n;
const fps = 25;
/** Both tracks are there within a second, and within a few on a machine that has too much to do. */
const publishWithinMs = 10_000;
/**
 * What the client (1.1.0) has to agree on with the server right after it is connected. Where a track is published in the middle of
 * that, and the server is so near that the client was connected before it had taken the first answer, it waits for itself for
 * ever; nothing tells when it is done.
 */
const settleMs = 100;
const lookEveryMs = 50;

export class LiveKitTracks implements RoomTracks {
  readonly #client: LiveKit;
  readonly #size: { width: number; height: number };
  readonly #audioSource: InstanceType<LiveKit["AudioSource"]>;
  readonly #videoSource: InstanceType<LiveKit["VideoSource"]>;
  readonly #audio: InstanceType<LiveKit["LocalAudioTrack"]>;
  readonly #video: InstanceType<LiveKit["LocalVideoTrack"]>;
  #closed = false;

  constructor(client: LiveKit, size: { width: number; height: number }) {
    this.#client = client;
    this.#size = size;
    // The stage is the pacemaker: a queue would only add to the delay.
    this.#audioSource = new client.AudioSource(sampleRate, 1, 0);
    this.#videoSource = new client.VideoSource(size.width, size.height);
    this.#audio = client.LocalAudioTrack.createAudioTrack("avatar_audio", this.#audioSource);
    this.#video = client.LocalVideoTrack.createVideoTrack("avatar_video", this.#videoSource);
  }

  /**
   * The sound first: agents wait for the picture, and then expect both. Resolves when both are sent, so there must be something to
   * send. Rejects where the room does not take them, and with SilenceError where the client does not get any further.
   */
  publish(room: Room): Promise<void> {
    return within(this.#publish(room), { ms: publishWithinMs, what: "A track publication timed out." });
  }

  async #publish(room: Room): Promise<void> {
    const { TrackPublishOptions, TrackSource, VideoCodec } = this.#client;
    const participant = room.localParticipant;
    await sleep(settleMs);
    await participant?.publishTrack(
      this.#audio,
      new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE }),
    );
    await participant?.publishTrack(
      this.#video,
      new TrackPublishOptions({
        source: TrackSource.SOURCE_CAMERA,
        videoCodec: VideoCodec.H264,
        simulcast: false,
        videoEncoding: { maxBitrate: bitrateBps, maxFramerate: fps },
      }),
    );
    // The server has only said that it will take them: whether they were agreed on shows in what is sent.
    while (!this.#closed && (await tracksSent(room)) < 2) await sleep(lookEveryMs);
  }

  sound(samples: Int16Array<ArrayBuffer>): void {
    for (let at = 0; at < samples.length && !this.#closed; at += frameSamples) {
      // The client reads from the beginning of the memory that samples lie in.
      const frame = samples.slice(at, at + frameSamples);
      this.#audioSource
        .captureFrame(new this.#client.AudioFrame(frame, sampleRate, 1, frame.length))
        .catch(ignore);
    }
  }

  picture(i420: Uint8Array, timeUs: bigint): void {
    if (this.#closed) return;
    const { width, height } = this.#size;
    const { VideoBufferType, VideoFrame } = this.#client;
    // As above.
    const data = i420.byteOffset === 0 ? i420 : Uint8Array.from(i420);
    this.#videoSource.captureFrame(new VideoFrame(data, width, height, VideoBufferType.I420), timeUs);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled([this.#audio.close(true), this.#video.close(true)]);
  }
}

async function tracksSent(room: Room): Promise<number> {
  const { publisherStats } = await room.getRtcStats();
  return publisherStats.filter(
    ({ stats }) => stats.case === "outboundRtp" && (stats.value.sent?.packetsSent ?? 0n) > 0n,
  ).length;
}

/** Sound that comes when the room is just being left. */
const ignore = () => undefined;
