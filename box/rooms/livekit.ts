// Rooms through LiveKit's own client. It is loaded when the first room is asked for: nobody else pays for it.

import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { DialOptions, RoomConnection, RoomDialer } from "./connection.ts";
import type { LiveKit } from "./livekit-client.ts";
import { LiveKitConnection } from "./livekit-connection.ts";
import { eventName, events, LiveKitRoom } from "./livekit-room.ts";
import { isSilence, within } from "./patience.ts";

const packages = ["@livekit/rtc-node", "@livekit/rtc-ffi-bindings"];
/** A room server answers within a second, one that is far away within a few; after this it is asked once more. */
const dialWithinMs = 15_000;
const disposeWithinMs = 2_000;

export class LiveKitDialer implements RoomDialer {
  readonly #load: () => Promise<LiveKit>;
  #loaded: Promise<LiveKit> | null = null;

  /** `load` brings the client; another one stands in for it in tests. */
  constructor(load: () => Promise<LiveKit> = loadClient) {
    this.#load = load;
  }

  async readiness(): Promise<{ problem: string | null; versions: Record<string, string> }> {
    const versions = Object.fromEntries(packages.flatMap((name) => versionOf(name)));
    try {
      await this.#client();
      return { problem: null, versions };
    } catch (error) {
      const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
      return { problem: `LiveKit's client does not load: ${reason}`, versions };
    }
  }

  async dial({ url, token, listener, signal }: DialOptions): Promise<RoomConnection> {
    const client = await this.#client();
    signal.throwIfAborted();
    const enter = () => this.#enter(client, { url, token, listener, signal });
    const room = await enter().catch((error: unknown) => {
      if (!isSilence(error)) throw error;
      return enter();
    });
    return new LiveKitConnection({ room, listener, enter });
  }

  async #enter(client: LiveKit, { url, token, listener, signal }: DialOptions): Promise<LiveKitRoom> {
    const room = new client.Room();
    const entered = new LiveKitRoom(client, room, listener);
    const connecting = room.connect(url, token, { autoSubscribe: false, dynacast: false });
    quieten();
    const what = "The room server took too long.";
    try {
      await within(connecting, { ms: dialWithinMs, what, signal });
    } catch (error) {
      // One that comes through after all is left again.
      entered.mute();
      void connecting.catch(() => undefined).then(() => entered.close());
      throw error;
    }
    entered.connected();
    return entered;
  }

  async close(): Promise<void> {
    const client = await this.#loaded?.catch(() => null);
    // Its threads would keep the process alive.
    if (client) await Promise.race([client.dispose(), sleep(disposeWithinMs)]);
  }

  #client(): Promise<LiveKit> {
    this.#loaded ??= this.#load();
    this.#loaded.catch(() => (this.#loaded = null));
    return this.#loaded;
  }
}

/** Its own log lines are for those who work on it: in production it keeps to what is amiss. */
async function loadClient(): Promise<LiveKit> {
  const { NODE_ENV: before } = process.env;
  // Its native half writes errors to the standard error as they are, addresses with their tokens among them.
  process.env.RUST_LOG ??= "off";
  process.env.NODE_ENV = "production";
  try {
    return await import("@livekit/rtc-node");
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

function versionOf(name: string): [string, string][] {
  try {
    const require = requireOfClient();
    const path = require.resolve(name).replace(/(?<=\/@livekit\/[^/]+\/).*$/, "package.json");
    const { version } = require(path) as { version: string };
    return [[name, version]];
  } catch {
    return [];
  }
}

const requireOfClient = () => createRequire(createRequire(import.meta.url).resolve("@livekit/rtc-node"));

interface Bindings {
  livekitInitialize(onEvent: (data: Uint8Array) => void, captureLogs: boolean, version: string): void;
  FfiEvent: { fromBinary(data: Uint8Array): unknown };
}

let quiet: object | null = null;

/**
 * The client has its native half send every line of its log, a thousand a second in a live room, as events that it reads and
 * drops (1.1.0). Here the events come as before, and the log stays where it is.
 */
function quieten(): void {
  const client = events();
  if (!client || quiet === client) return;
  quiet = client;
  const { livekitInitialize, FfiEvent } = requireOfClient()("@livekit/rtc-ffi-bindings") as Bindings;
  const [, version = ""] = versionOf("@livekit/rtc-node")[0] ?? [];
  livekitInitialize((data) => client.emit(eventName, FfiEvent.fromBinary(data)), false, version);
}
