// A room as the box uses it; behind it is LiveKit's client, and in tests something else.

export interface RoomParticipant {
  identity: string;
  /** Joined as an agent. */
  agent: boolean;
  /** It is somebody's avatar itself. */
  avatar: boolean;
}

/** One segment of an agent's speech, on its way. */
export interface IncomingSound {
  /** Who sends it. */
  from: string;
  id: string;
  attributes: Readonly<Record<string, string>>;
  /** Signed 16-bit little-endian samples, cut anywhere. Throws where it breaks off. */
  chunks: AsyncIterable<Uint8Array>;
  /** No more of it is wanted. Never rejects. */
  close(): Promise<void>;
}

/** A short text: a data packet, or a stream that was read to its end. */
export interface RoomMessage {
  from: string;
  topic: string;
  text: string;
  attributes: Readonly<Record<string, string>>;
}

/** What happens in a room. */
export interface RoomListener {
  joined(participant: RoomParticipant): void;
  left(identity: string): void;
  sound(sound: IncomingSound): void;
  message(message: RoomMessage): void;
  /** An agent wants silence. The answer goes back to it. */
  clearBuffer(from: string): "ok" | "reject";
  /** The network is away, and may come back. */
  reconnecting(): void;
  reconnected(): void;
  /** For good. `dismissed`: somebody ended it over there; `lost`: the network did. */
  over(how: "dismissed" | "lost"): void;
}

/** A call that another participant did not answer as it should. */
export class RoomCallError extends Error {
  /** 1400 unsupported, 1401 no recipient, 1501 connection time-out, 1502 response time-out; others as LiveKit has them. */
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RoomCallError";
    this.code = code;
  }
}

/** Both tracks, published. */
export interface RoomTracks {
  /** 20 ms of 48 kHz mono. */
  sound(samples: Int16Array<ArrayBuffer>): void;
  /** An I420 picture of the size that was announced; its time in microseconds. */
  picture(i420: Uint8Array, timeUs: bigint): void;
}

export interface RoomConnection {
  /** Who is there, in the order they came. */
  participants(): RoomParticipant[];
  /** What may be sent from now on, and when both tracks are published: the sound first. */
  publish(size: { width: number; height: number }): { tracks: RoomTracks; published: Promise<void> };
  /** Rejects with RoomCallError. */
  call(call: { to: string; method: string; payload: string }): Promise<string>;
  /** Leaves and frees everything. Idempotent; never rejects. */
  close(): Promise<void>;
}

export interface DialOptions {
  url: string;
  token: string;
  listener: RoomListener;
  /** Whoever waited has left. */
  signal: AbortSignal;
}

export interface RoomDialer {
  /** What is installed of what is needed. Never rejects. */
  readiness(): Promise<{ problem: string | null; versions: Record<string, string> }>;
  /** Rejects with what the room server said, or when the signal aborts. Events may come before it resolves. */
  dial(options: DialOptions): Promise<RoomConnection>;
  /** Frees what the process holds for rooms in general. */
  close(): Promise<void>;
}
