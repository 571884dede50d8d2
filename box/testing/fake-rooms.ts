// Rooms without a network: whoever else is in them does what a test says.

import type {
  DialOptions,
  IncomingSound,
  RoomConnection,
  RoomDialer,
  RoomListener,
  RoomParticipant,
  RoomTracks,
} from "../rooms/connection.ts";

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of the avatar's for the room `lobby`, as its agent `agent-1` would sign it; members of `claims` replace its own. */
export function roomToken(claims: object = {}): string {
  const own = {
    sub: "visavis-avatar",
    exp: Math.floor(Date.now() / 1000) + 600,
    kind: "agent",
    attributes: { "lk.publish_on_behalf": "agent-1" },
    video: { roomJoin: true, room: "lobby" },
  };
  return `${base64({ alg: "HS256" })}.${base64({ ...own, ...claims })}.c2lnbmF0dXJl`;
}

export const joinBody = (claims: object = {}) => ({
  rtc_url: "wss://rooms.example",
  rtc_token: roomToken(claims),
  room_name: "lobby",
});

/** A stream of sound that a test writes. */
export class FakeSound implements IncomingSound {
  readonly id = "AUDIO_1";
  closed = false;
  readonly #pieces: (Uint8Array | Error | null)[] = [];
  #wake = Promise.withResolvers<void>();

  readonly from: string;
  readonly attributes: Record<string, string>;

  constructor(
    from: string,
    attributes: Record<string, string> = { sample_rate: "24000", num_channels: "1" },
  ) {
    this.from = from;
    this.attributes = attributes;
  }

  write(samples: Int16Array | Uint8Array): void {
    this.#push(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  }

  end(): void {
    this.#push(null);
  }

  breakOff(): void {
    this.#push(new Error("Disconnected while receiving"));
  }

  get chunks(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#read() };
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    while (!this.closed) {
      const piece = this.#pieces.shift();
      if (piece === undefined) {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      } else if (piece instanceof Error) throw piece;
      else if (piece === null) return;
      else yield piece;
    }
  }

  close(): Promise<void> {
    this.closed = true;
    this.#wake.resolve();
    return Promise.resolve();
  }

  #push(piece: Uint8Array | Error | null): void {
    this.#pieces.push(piece);
    this.#wake.resolve();
  }
}

export interface Called {
  to: string;
  method: string;
  payload: string;
}

/** The room as the box is in it, and the hands of whoever else is there. */
export class FakeRoom implements RoomConnection {
  readonly listener: RoomListener;
  readonly options: DialOptions;
  closed = false;
  sounds = 0;
  pictures = 0;
  size = { width: 0, height: 0 };
  readonly calls: Called[] = [];
  /** Throws what a call comes to. */
  answer: (called: Called) => string = () => "ok";
  /** Both tracks are published when this is. */
  published: Promise<void> = Promise.resolve();
  readonly #participants: RoomParticipant[];

  constructor(options: DialOptions, participants: RoomParticipant[]) {
    this.options = options;
    this.listener = options.listener;
    this.#participants = participants;
  }

  participants(): RoomParticipant[] {
    return this.#participants;
  }

  publish(size: { width: number; height: number }): { tracks: RoomTracks; published: Promise<void> } {
    this.size = size;
    const tracks = { sound: () => void this.sounds++, picture: () => void this.pictures++ };
    return { tracks, published: this.published };
  }

  async call(called: Called): Promise<string> {
    this.calls.push(called);
    await Promise.resolve();
    return this.answer(called);
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  /** What the agent heard of its segments, in order. */
  get finished(): { playback_position: number; interrupted: boolean; synchronized_transcript: null }[] {
    return this.calls
      .filter(({ method }) => method === "lk.playback_finished")
      .map(({ payload }) => JSON.parse(payload));
  }

  /** The agent begins a segment. */
  speak(from = "agent-1", attributes?: Record<string, string>): FakeSound {
    const sound = new FakeSound(from, attributes);
    this.listener.sound(sound);
    return sound;
  }
}

export const agent = (identity: string): RoomParticipant => ({ identity, agent: true, avatar: false });

export class FakeRooms implements RoomDialer {
  readonly dialled: FakeRoom[] = [];
  /** Who is in a room when it is entered. */
  present: RoomParticipant[] = [agent("agent-1")];
  problem: string | null = null;
  /** Why no room lets anybody in. */
  refusal: Error | null = null;
  /** Doors open when this is. */
  open: Promise<void> = Promise.resolve();
  /** Rooms made from now on take tracks when this is. */
  published: Promise<void> = Promise.resolve();

  readiness(): Promise<{ problem: string | null; versions: Record<string, string> }> {
    return Promise.resolve({ problem: this.problem, versions: { "@livekit/rtc-node": "1.1.0" } });
  }

  async dial(options: DialOptions): Promise<RoomConnection> {
    const { signal } = options;
    const left = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => left.reject(signal.reason));
    await Promise.race([this.open, left.promise]);
    if (this.refusal) throw this.refusal;
    const room = new FakeRoom(options, this.present);
    room.published = this.published;
    this.dialled.push(room);
    for (const participant of this.present) options.listener.joined(participant);
    return room;
  }

  get room(): FakeRoom {
    const room = this.dialled.at(-1);
    if (!room) throw new Error("No room was entered.");
    return room;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
