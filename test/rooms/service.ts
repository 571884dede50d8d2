// The room server that the tests run against: our own, or the real one that the environment names.

import { randomBytes } from "node:crypto";
import { RoomServiceClient } from "livekit-server-sdk";
import { startRoomServer, type RoomServer } from "./server/server.ts";
import { mintToken, type TokenOptions } from "./server/tokens.ts";

export interface Service {
  /** ws:// or wss:// */
  url: string;
  /** What only the tests' own server can do: cut wires, refuse sockets. Null with a real one. */
  own: RoomServer | null;
  admin: RoomServiceClient;
  mint(options: TokenOptions): Promise<string>;
  /** A name that no other test run uses. */
  roomName(): string;
  stop(): Promise<void>;
}

/** LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET name a real server; without LIVEKIT_URL ours is started. */
export const isReal = Boolean(process.env.LIVEKIT_URL);

/** @throws Error where the environment names a server without its key or secret. */
export async function openService(): Promise<Service> {
  const own = isReal ? null : await startRoomServer();
  const url = own?.url ?? process.env.LIVEKIT_URL ?? "";
  const key = own?.key ?? process.env.LIVEKIT_API_KEY;
  const secret = own?.secret ?? process.env.LIVEKIT_API_SECRET;
  if (!key || !secret) throw new Error("LIVEKIT_URL needs LIVEKIT_API_KEY and LIVEKIT_API_SECRET beside it.");
  return {
    url,
    own,
    admin: new RoomServiceClient(url.replace(/^ws/, "http"), key, secret),
    mint: (options) => mintToken({ key, secret, ...options }),
    roomName: () => `visavis-test-${randomBytes(4).toString("hex")}`,
    stop: async () => own?.stop(),
  };
}
