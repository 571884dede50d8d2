// All control sockets of the box, and the door they come in by.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { limits } from "../../contract/limits.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import { ControlSocket, type ControlSocketOptions } from "./control-socket.ts";

/** Far more tabs than one session has, far fewer than would hurt. */
const capacity = 200;
/** One caller's runaway page leaves room for the others. */
const capacityPerAccount = 50;
const closeWithinMs = 1_000;

export type ControlSocketSurroundings = Omit<
  ControlSocketOptions,
  "socket" | "caller" | "face" | "maxSeconds"
> & {
  faceOf(caller: Caller): Promise<ControlSocketOptions["face"]>;
};

export class ControlSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: limits.controlFrameBytes });
  readonly #open = new Set<ControlSocket>();
  #surroundings: ControlSocketSurroundings | null = null;
  #closed = false;

  constructor() {
    // With a listener, ws leaves the answer to a malformed handshake to us.
    this.#server.on("wsClientError", () => undefined);
  }

  /** What its sockets talk to; set once, before the first upgrade. */
  attach(surroundings: ControlSocketSurroundings): void {
    this.#surroundings = surroundings;
  }

  /** Opens a socket for an upgrade request that was let in. Throws Refusal, with the HTTP answer still to be given. */
  async upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, caller: Caller): Promise<void> {
    const surroundings = this.#surroundings;
    if (!surroundings) throw shuttingDown();
    this.#requireRoom(caller.account);
    const maxSeconds = ceilingOf(request);
    const face = await surroundings.faceOf(caller);
    // Others may have come in meanwhile, and the credential may have gone.
    this.#requireRoom(caller.account);
    surroundings.access.requireUnrevoked(caller);
    let opened = false;
    // The callback runs before handleUpgrade returns, or not at all.
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      opened = true;
      const control = new ControlSocket({ ...surroundings, socket, caller, face, maxSeconds });
      this.#open.add(control);
      socket.once("close", () => {
        this.#open.delete(control);
        if (!this.has(caller.account)) surroundings.clientTools.left(caller.account);
      });
    });
    if (!opened)
      throw new Refusal("invalid_body", "The WebSocket handshake is malformed.", {
        headers: { "Sec-WebSocket-Version": "13" },
      });
  }

  /** The session ceiling that an open socket of the account asked for, newest first; null when none did. */
  ceilingOf(account: string): number | null {
    const asked = [...this.#open].filter(
      (socket) => socket.account === account && socket.open && socket.maxSeconds !== null,
    );
    return asked.at(-1)?.maxSeconds ?? null;
  }

  /** Whether the account has a control socket open. */
  has(account: string): boolean {
    return [...this.#open].some((socket) => socket.account === account && socket.open);
  }

  /** Ends the sockets that stand on revoked credentials. */
  revoke(digests: ReadonlySet<string>): void {
    for (const socket of this.#open) if (digests.has(socket.digest)) socket.revoke();
  }

  get size(): number {
    return this.#open.size;
  }

  #requireRoom(account: string): void {
    if (this.#closed) throw shuttingDown();
    const own = [...this.#open].filter((socket) => socket.account === account).length;
    if (this.#open.size >= capacity || own >= capacityPerAccount)
      throw new Refusal("box_unavailable", "Too many control sockets are open.", {
        headers: { "Retry-After": "5" },
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const socket of this.#open) socket.shutdown();
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
}

const shuttingDown = () => new Refusal("box_unavailable", "The box is shutting down.");

function ceilingOf(request: IncomingMessage): number | null {
  const text = new URL(request.url ?? "/", "http://box").searchParams.get("max_session_length_seconds");
  if (text === null || text === "") return null;
  const seconds = Number(text);
  // A blank would count as 0, which lifts the ceiling.
  if (!/^\d{1,15}(?:\.\d+)?$/.test(text))
    throw new Refusal(
      "invalid_body",
      "max_session_length_seconds must be a number of seconds, 0 for no ceiling.",
    );
  return seconds;
}
