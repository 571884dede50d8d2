// WebSocket upgrades: let in, or refused with an ordinary HTTP answer and its body.

import { randomUUID } from "node:crypto";
import { STATUS_CODES, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { controlSocketPath } from "../../contract/control-socket.ts";
import { errorBody } from "../../contract/errors.ts";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import { describeError, loggedPath, type Log } from "../ops/log.ts";
import { microphoneSocketPath } from "../../contract/microphone-socket.ts";
import type { ControlSockets } from "./control-sockets.ts";
import { refusals } from "./microphone-refusals.ts";
import type { MicrophoneSockets } from "./microphone-sockets.ts";

export interface UpgradeOptions {
  server: Server;
  access: Access;
  sockets: ControlSockets;
  microphones: MicrophoneSockets;
  /** Whether a room is live. */
  roomLive(): boolean;
  log: Log;
}

function refuse(stream: Duplex, status: number, body: object, headers: Record<string, string> = {}): void {
  if (stream.destroyed) return;
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(text)),
    Connection: "close",
  }).map(([name, value]) => `${name}: ${value}`);
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
}

async function admit(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  { access, sockets, microphones, roomLive }: UpgradeOptions,
): Promise<void> {
  const target = request.url ?? "/";
  if (!URL.canParse(target, "http://box"))
    throw new Refusal("not_found", "There is no WebSocket at this path.");
  const url = new URL(target, "http://box");
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  let caller: Caller | null;
  try {
    caller = await access.admit({ method: request.method ?? "GET", url, header, upgrade: true });
  } catch (error) {
    // While a room is live a microphone is told why on its socket: whose room it is could not be checked.
    const unknown = error instanceof Refusal && error.code === "credential_unverified";
    if (!unknown || !roomLive() || url.pathname !== microphoneSocketPath || stream.destroyed) throw error;
    await microphones.turnAway(request, stream, head, refusals.ownerUnverified);
    return;
  }
  const doors = new Map<string, Pick<ControlSockets, "upgrade">>([
    [controlSocketPath, sockets],
    [microphoneSocketPath, microphones],
  ]);
  const door = doors.get(url.pathname);
  if (!door || !caller) throw new Refusal("not_found", "There is no WebSocket at this path.");
  if (stream.destroyed) return;
  access.requireUnrevoked(caller);
  await door.upgrade(request, stream, head, caller);
}

/** A peer that vanishes is no news. */
const ignore = () => undefined;

/** Answers the server's upgrade requests. */
export function acceptUpgrades(options: UpgradeOptions): void {
  const { server, log } = options;
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", ignore);
    const requestId = randomUUID();
    const path = loggedPath(request.url ?? "/");
    admit(request, stream, head, options)
      .then(() => log.info({ request_id: requestId, method: "GET", path, status: 101 }, "request"))
      .catch((error: unknown) => {
        const refusal =
          error instanceof Refusal ? error : new Refusal("internal", "Something went wrong on the box.");
        if (refusal !== error) log.error(describeError(error), "upgrade failed");
        log.info({ request_id: requestId, method: "GET", path, status: refusal.status }, "request");
        const headers = { ...refusal.headers, "X-Request-Id": requestId };
        refuse(stream, refusal.status, errorBody("structured", refusal), headers);
      });
  });
}
