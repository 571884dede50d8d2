// An agent as LiveKit's frameworks make one: it sends its speech to the avatar as byte streams, clears the avatar's buffer
// when it is interrupted, and is told when a segment was played.

import { randomUUID } from "node:crypto";
import type { ByteStreamWriter } from "@livekit/rtc-node";
import { Visitor } from "./visitor.ts";

/** What an avatar says at the end of a segment. */
export interface Finished {
  playback_position: number;
  interrupted: boolean;
  synchronized_transcript: string | null;
  /** performance.now() at arrival, milliseconds. */
  atMs: number;
}

const audioTopic = "lk.audio_stream";

/** Speech on its way; `close` ends the segment. */
export class Segment {
  readonly #writer: ByteStreamWriter;
  /** Samples so far. */
  sent = 0;

  constructor(writer: ByteStreamWriter) {
    this.#writer = writer;
  }

  async write(samples: Int16Array): Promise<void> {
    this.sent += samples.length;
    await this.#writer.write(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}

export interface AgentOptions {
  /** False: it has no method for the beginning of a segment, as agents in Node by default. */
  started?: boolean;
}

export class Agent {
  readonly visitor: Visitor;
  readonly avatar: string;
  readonly finished: Finished[] = [];
  /** performance.now() of each `lk.playback_started`. */
  readonly started: number[] = [];

  private constructor(visitor: Visitor, avatar: string, { started }: AgentOptions) {
    this.visitor = visitor;
    this.avatar = avatar;
    visitor.local.registerRpcMethod("lk.playback_finished", async ({ callerIdentity, payload }) => {
      if (callerIdentity !== avatar) return "reject";
      this.finished.push({ ...(JSON.parse(payload) as Finished), atMs: performance.now() });
      return "ok";
    });
    if (started === false) return;
    visitor.local.registerRpcMethod("lk.playback_started", async ({ callerIdentity }) => {
      if (callerIdentity !== avatar) return "reject";
      this.started.push(performance.now());
      return "ok";
    });
  }

  /** `avatar`: the identity that the avatar joins as. */
  static async enter(url: string, token: string, avatar: string, options: AgentOptions = {}): Promise<Agent> {
    return new Agent(await Visitor.enter(url, token), avatar, options);
  }

  /** Opens a segment; `rate` in hertz, samples interleaved where there is more than one channel. */
  async open({ rate = 24_000, channels = 1 } = {}): Promise<Segment> {
    const writer = await this.visitor.local.streamBytes({
      name: `AUDIO_${randomUUID().slice(0, 12)}`,
      topic: audioTopic,
      destinationIdentities: [this.avatar],
      attributes: { sample_rate: String(rate), num_channels: String(channels) },
    });
    return new Segment(writer);
  }

  /** A whole segment at once, faster than it can be played. */
  async say(samples: Int16Array, format: { rate?: number; channels?: number } = {}): Promise<void> {
    const segment = await this.open(format);
    const piece = Math.round(((format.rate ?? 24_000) * (format.channels ?? 1)) / 10);
    for (let at = 0; at < samples.length; at += piece) await segment.write(samples.slice(at, at + piece));
    await segment.close();
  }

  /** "ok", or "reject" where the avatar listens to somebody else. */
  clear(): Promise<string> {
    return this.visitor.local.performRpc({
      destinationIdentity: this.avatar,
      method: "lk.clear_buffer",
      payload: "",
    });
  }
}
