// What every fake provider is underneath: an HTTP server on a free port of this machine, whose connections can be counted.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export abstract class LoopbackServer {
  /** Connections there ever were. */
  opened = 0;
  protected readonly http: Server;
  readonly #open = new Set<Socket>();

  protected constructor(answer: RequestListener) {
    this.http = createServer(answer);
    this.http.on("connection", (socket) => {
      this.opened++;
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  /** Resolves when it listens; 0: on any free port. */
  protected listen(port = 0): Promise<this> {
    return new Promise((resolve) => this.http.listen(port, "127.0.0.1", () => resolve(this)));
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Connections of any kind that are open. */
  get connections(): number {
    return this.#open.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.http.close(resolve));
  }
}
