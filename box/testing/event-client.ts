import { WebSocket } from "ws";

/** A socket of the box from the outside, which keeps every event it was sent. */
export abstract class EventClient<Event extends { type: string }> {
  readonly events: Event[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  protected readonly socket: WebSocket;
  #seen = 0;
  #wake = Promise.withResolvers<void>();

  protected constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#stir();
      });
    });
    socket.on("message", (data) => {
      const event = this.read((data as Buffer).toString());
      if (event) this.events.push(event);
      this.#stir();
    });
    // A socket that the box drops ends with `close` as well.
    socket.on("error", () => undefined);
  }

  /** The event that a frame holds; null when it is kept elsewhere. */
  protected abstract read(text: string): Event | null;

  /** The next event of the type that no earlier call has returned or passed over. */
  async next<Type extends Event["type"]>(type: Type): Promise<Extract<Event, { type: Type }>> {
    for (;;) {
      for (; this.#seen < this.events.length;) {
        const event = this.events[this.#seen++];
        if (event?.type === type) return event as Extract<Event, { type: Type }>;
      }
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`The socket closed before ${type}; it had ${this.types().join(", ")}.`);
      await this.#wake.promise;
    }
  }

  /** The types of all events so far, in order. */
  types(): Event["type"][] {
    return this.events.map((event) => event.type);
  }

  /** Stops reading, as a client that hangs does. */
  pause(): void {
    this.socket.pause();
  }

  close(): void {
    this.socket.close();
  }

  drop(): void {
    this.socket.terminate();
  }

  #stir(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}
