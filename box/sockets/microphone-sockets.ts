// The microphone sockets of the box, and the door they come in by. One of them holds the single slot.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { microphoneLimits, type MicrophoneEvent } from "../../contract/microphone-socket.ts";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { BoxConfig } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { Ears } from "../hearing/listener.ts";
import type { Faces } from "../live/faces.ts";
import type { Hub } from "../live/hub.ts";
import type { LiveSession } from "../live/session.ts";
import type { Slot } from "../live/slot.ts";
import type { Turns } from "../live/turns.ts";
import type { Log } from "../ops/log.ts";
import { recognitionFailed, refusals, type MicrophoneRefusal } from "./microphone-refusals.ts";
import { MicrophoneSocket } from "./microphone-socket.ts";
import { refusalOf, type MayDrive } from "./microphone-turns.ts";
import { Wire } from "./wire.ts";

/** One holds the slot; the others are on their way out. */
const capacity = 50;
const closeWithinMs = 1_000;

export interface MicrophoneSurroundings {
  config: Pick<BoxConfig, "recogniser" | "speculativeReplies">;
  access: Access;
  faces: Faces;
  hub: Hub;
  slot: Slot;
  turns: Turns;
  ears: Ears;
  log: Log;
  /** Default: whoever has the live session may. */
  mayDrive?: MayDrive;
  /** Whom a caller speaks for; default: for themselves. */
  driverOf?: (caller: Caller) => Caller;
  /** Hears how long a speaker waited from the end of their last word for each reply that sounds. */
  onAnswered?: (milliseconds: number) => void;
}

export class MicrophoneSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: microphoneLimits.frameBytes });
  readonly #open = new Set<MicrophoneSocket>();
  #surroundings: MicrophoneSurroundings | null = null;
  #holder: MicrophoneSocket | null = null;
  #closed = false;

  constructor() {
    // With a listener, ws leaves the answer to a malformed handshake to us.
    this.#server.on("wsClientError", () => undefined);
  }

  /** What its sockets talk to; set once, before the first upgrade. */
  attach(surroundings: MicrophoneSurroundings): void {
    this.#surroundings = surroundings;
  }

  /** Sockets that are open, the one with the slot included. */
  get size(): number {
    return this.#open.size;
  }

  /** Whether the slot is taken. */
  get held(): boolean {
    return this.#holder !== null;
  }

  /**
   * Opens a socket for an upgrade request that was let in; what else is to be refused is refused on the socket. Rejects
   * with Refusal, with the HTTP answer still to be given.
   */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, caller: Caller): Promise<void> {
    const surroundings = this.#surroundings;
    if (!surroundings || this.#closed)
      return Promise.reject(new Refusal("box_unavailable", "The box is shutting down."));
    if (this.#open.size >= capacity)
      return Promise.reject(new Refusal("box_unavailable", "Too many microphone sockets are open."));
    const speaker = surroundings.driverOf?.(caller) ?? caller;
    let opened = false;
    // The callback runs before handleUpgrade returns, or not at all.
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      opened = true;
      const session = surroundings.slot.of(speaker.account);
      const microphone = new MicrophoneSocket({
        ...surroundings,
        mayDrive: surroundings.mayDrive ?? (() => Promise.resolve("yes")),
        socket,
        caller: speaker,
        session,
        onReleased: () => {
          if (this.#holder === microphone) this.#holder = null;
        },
      });
      this.#open.add(microphone);
      socket.once("close", () => this.#open.delete(microphone));
      void this.#admit(microphone, session, surroundings);
    });
    if (opened) return Promise.resolve();
    const headers = { "Sec-WebSocket-Version": "13" };
    return Promise.reject(new Refusal("invalid_body", "The WebSocket handshake is malformed.", { headers }));
  }

  /** Opens a socket for a caller who could not be looked up, and says so on it. As upgrade otherwise. */
  turnAway(
    request: IncomingMessage,
    stream: Duplex,
    head: Buffer,
    refusal: MicrophoneRefusal,
  ): Promise<void> {
    if (this.#closed || this.#server.clients.size >= capacity)
      return Promise.reject(new Refusal("box_unavailable", "Too many microphone sockets are open."));
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      socket.on("error", () => undefined);
      const wire = new Wire({ socket, onBacklog: () => socket.terminate() });
      wire.send({ type: "error", fatal: true, ...refusal } satisfies MicrophoneEvent);
      wire.close(refusal.code, refusal.error);
    });
    return Promise.resolve();
  }

  /** Ends the sockets that stand on revoked credentials. */
  revoke(digests: ReadonlySet<string>): void {
    for (const microphone of this.#open)
      if (digests.has(microphone.digest)) microphone.refuse(refusals.revoked);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const microphone of this.#open) microphone.refuse(refusals.shutdown);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        for (const client of this.#server.clients) client.terminate();
      }, closeWithinMs);
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #admit(
    microphone: MicrophoneSocket,
    session: LiveSession | null,
    { config, ears, mayDrive, log }: MicrophoneSurroundings,
  ): Promise<void> {
    const { state, detail } = ears.state();
    // First what no waiting changes, then what going live changes, then what another socket's end changes.
    if (config.recogniser.kind === "none") microphone.refuse(refusals.noRecognition);
    else if (state === "unavailable") microphone.refuse(recognitionFailed(detail));
    else if (!session) {
      const { caller } = microphone;
      const refusal = mayDrive && (await refusalOf({ caller: () => caller, mayDrive, log }));
      microphone.refuse(refusal ?? refusals.noSession);
    } else if (await this.#takeSlot(microphone)) await microphone.start(session);
  }

  /** A holder that has vanished makes room for the same caller, who is most likely it, back again. */
  async #takeSlot(microphone: MicrophoneSocket): Promise<boolean> {
    while (this.#holder && !microphone.closed) {
      const holder = this.#holder;
      if (holder.account !== microphone.account || (await holder.answers())) {
        // It may have let go since it answered.
        if (this.#holder === null) break;
        microphone.refuse(refusals.slotTaken);
        return false;
      }
      holder.drop();
    }
    if (microphone.closed) return false;
    this.#holder = microphone;
    return true;
  }
}
