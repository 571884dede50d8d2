import { WebSocket } from "ws";
import {
  microphoneEventSchema,
  type MicrophoneEvent,
  type MicrophoneEventType,
} from "../../contract/microphone-socket.ts";

type EventOf<Type extends MicrophoneEventType> = Extract<MicrophoneEvent, { type: Type }>;

/** A microphone socket from the outside, which keeps every event it was sent, and takes none that the contract lacks. */
export class MicrophoneClient {
  readonly events: MicrophoneEvent[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** What was sent that is no event. */
  readonly nonsense: string[] = [];
  readonly #socket: WebSocket;
  #seen = 0;
  #wake = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#stir();
      });
    });
    socket.on("message", (data) => {
      const text = (data as Buffer).toString();
      const event = microphoneEventSchema.safeParse(JSON.parse(text));
      if (event.success) this.events.push(event.data);
      else this.nonsense.push(text);
      this.#stir();
    });
    // A socket that the box drops ends with `close` as well.
    socket.on("error", () => undefined);
  }

  /** Resolves once it is open. Rejects when the upgrade is refused. */
  static open(url: string): Promise<MicrophoneClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const client = new MicrophoneClient(socket);
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
  }

  send(message: object | string | Buffer): void {
    const raw = typeof message === "string" || Buffer.isBuffer(message);
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(raw ? message : JSON.stringify(message));
  }

  /** The next event of the type that no earlier call has returned or passed over. */
  async next<Type extends MicrophoneEventType>(type: Type): Promise<EventOf<Type>> {
    for (;;) {
      for (; this.#seen < this.events.length;) {
        const event = this.events[this.#seen++];
        if (event?.type === type) return event as EventOf<Type>;
      }
      if (this.#socket.readyState === WebSocket.CLOSED)
        throw new Error(`The socket closed before ${type}; it had ${this.types().join(", ")}.`);
      await this.#wake.promise;
    }
  }

  /** Resolves once the box has read everything sent before. */
  async flush(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const answered = new Promise<void>((resolve) => {
      this.#socket.once("pong", () => resolve());
    });
    this.#socket.ping();
    await Promise.race([answered, this.closed]);
  }

  /** The types of all events so far, in order. */
  types(): MicrophoneEventType[] {
    return this.events.map((event) => event.type);
  }

  /** Stops reading, as a client that hangs does. */
  pause(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.close();
  }

  drop(): void {
    this.#socket.terminate();
  }

  #stir(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}
