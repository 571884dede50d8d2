// A WebSocket as the box uses it: frames out to a reader who keeps up, a close that ends, and a peer that is there.

import type { WebSocket } from "ws";

const backlogBytes = 1024 * 1024;
/** A peer that does not finish the closing handshake is dropped. */
const closeWithinMs = 2_000;
const pingEveryMs = 30_000;

export interface WireOptions {
  socket: WebSocket;
  /** The reader does not keep up. */
  onBacklog(): void;
}

export class Wire {
  readonly #socket: WebSocket;
  readonly #onBacklog: () => void;
  readonly #pings: NodeJS.Timeout;
  #answered = true;

  constructor({ socket, onBacklog }: WireOptions) {
    this.#socket = socket;
    this.#onBacklog = onBacklog;
    this.#pings = setInterval(() => this.#checkAlive(), pingEveryMs);
    socket.on("pong", () => (this.#answered = true));
    socket.once("close", () => clearInterval(this.#pings));
  }

  send(event: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(event));
    if (this.#socket.bufferedAmount > backlogBytes) this.#onBacklog();
  }

  close(code: number, reason: string): void {
    const socket = this.#socket;
    if (socket.readyState === socket.CLOSED) return;
    socket.close(code, reason);
    // Who does not read will not read the close frame either.
    if (socket.bufferedAmount > backlogBytes) socket.terminate();
    const timer = setTimeout(() => socket.terminate(), closeWithinMs);
    socket.once("close", () => clearTimeout(timer));
  }

  /** Without a close frame: there is nobody to read it. */
  drop(): void {
    this.#socket.terminate();
  }

  /** Whether the peer answers a ping within the time, or says anything else. */
  answers(withinMs: number): Promise<boolean> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (alive: boolean) => {
        clearTimeout(timer);
        socket.off("pong", heard).off("message", heard).off("close", gone);
        resolve(alive);
      };
      const heard = () => settle(true);
      const gone = () => settle(false);
      const timer = setTimeout(gone, withinMs);
      socket.on("pong", heard).on("message", heard).on("close", gone);
      socket.ping();
    });
  }

  #checkAlive(): void {
    if (!this.#answered) {
      this.drop();
      return;
    }
    this.#answered = false;
    this.#socket.ping();
  }
}

/** What a socket error says, for a log line. */
export function describeSocketError(error: Error): Record<string, unknown> {
  return { error: error.message, code: (error as NodeJS.ErrnoException).code };
}
