import { WebSocket } from "ws";
import { microphoneEventSchema, type MicrophoneEvent } from "../../contract/microphone-socket.ts";
import { EventClient } from "./event-client.ts";

/** A microphone socket from the outside, which takes no event that the contract lacks. */
export class MicrophoneClient extends EventClient<MicrophoneEvent> {
  /** What was sent that is no event. */
  readonly nonsense: string[] = [];

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
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(raw ? message : JSON.stringify(message));
  }

  /** Resolves once the box has read everything sent before. */
  async flush(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const answered = new Promise<void>((resolve) => {
      this.socket.once("pong", () => resolve());
    });
    this.socket.ping();
    await Promise.race([answered, this.closed]);
  }

  protected read(text: string): MicrophoneEvent | null {
    const event = microphoneEventSchema.safeParse(JSON.parse(text));
    if (event.success) return event.data;
    this.nonsense.push(text);
    return null;
  }
}
