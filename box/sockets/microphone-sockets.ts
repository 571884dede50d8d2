// The microphone sockets of the box, and the door they come in by. One of them holds the single slot.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import type { Ears } from "../hearing/listener.ts";
import type { Faces } from "../live/faces.ts";
import type { Hub } from "../live/hub.ts";
import type { Slot } from "../live/slot.ts";
import type { Turns } from "../live/turns.ts";
import type { Log } from "../ops/log.ts";

export interface MicrophoneSurroundings {
  access: Access;
  faces: Faces;
  hub: Hub;
  slot: Slot;
  turns: Turns;
  ears: Ears;
  log: Log;
}

export class MicrophoneSockets {
  #surroundings: MicrophoneSurroundings | null = null;

  /** What its sockets talk to; set once, before the first upgrade. */
  attach(surroundings: MicrophoneSurroundings): void {
    this.#surroundings = surroundings;
  }

  /** Opens a socket for an upgrade request that was let in. Throws Refusal, with the HTTP answer still to be given. */
  upgrade(_request: IncomingMessage, _stream: Duplex, _head: Buffer, _caller: Caller): Promise<void> {
    if (!this.#surroundings) throw new Refusal("box_unavailable", "The box is shutting down.");
    throw new Refusal("feature_disabled", "There is no microphone yet.");
  }

  /** Ends the sockets that stand on revoked credentials. */
  revoke(_digests: ReadonlySet<string>): void {
    // Nothing is open.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
