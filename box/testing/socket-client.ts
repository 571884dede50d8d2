import { WebSocket } from "ws";
import type { ServerEvent } from "../../contract/control-socket.ts";
import { EventClient } from "./event-client.ts";

/** A control socket from the outside. */
export class SocketClient extends EventClient<ServerEvent> {
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
    this.socket.send(
      typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    );
  }

  protected read(text: string): ServerEvent {
    return JSON.parse(text) as ServerEvent;
  }
}
