import { WebSocket } from "ws";
import type { ServerEvent, ServerEventType } from "../../contract/control-socket.ts";

type EventOf<Type extends ServerEventType> = Extract<ServerEvent, { type: Type }>;

/** A control socket from the outside, which keeps every event it was sent. */
export class SocketClient {
  readonly events: ServerEvent[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
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
      this.events.push(JSON.parse((data as Buffer).toString()) as ServerEvent);
      this.#stir();
    });
    // A socket that the box drops ends with `close` as well.
    socket.on("error", () => undefined);
  }

  /** Resolves once it is open. Rejects when the upgrade is refused. */
  static open(url: string): Promise<SocketClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const client = new SocketClient(socket);
      socket.once("open", () => resolve(client));
      socket.once("error", reject);
    });
  }

  send(message: object | string | Buffer): void {
    this.#socket.send(
      typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    );
  }

  /** The next event of the type that no earlier call has returned or passed over. */
  async next<Type extends ServerEventType>(type: Type): Promise<EventOf<Type>> {
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

  /** The types of all events so far, in order. */
  types(): ServerEventType[] {
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
