// A room server for tests: LiveKit's signalling, media relay and the few calls of its room service, in one process.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { DisconnectReason, LeaveRequest_Action as LeaveAction } from "@livekit/protocol";
import { WebSocketServer } from "ws";
import { Room, type RoomOptions } from "./room.ts";
import { Signal, readJoinRequest } from "./signal.ts";
import { devKey, devSecret, readClaims, Refusal, requireJoin } from "./tokens.ts";

export interface RoomServer {
  /** ws://127.0.0.1:<port> */
  url: string;
  key: string;
  secret: string;
  /** Rooms that somebody has been in and that nobody deleted. */
  rooms: Map<string, Room>;
  /** Breaks every socket of a participant or, unnamed, of all; `refuseForMs` keeps new ones out for so long. */
  cutSignal(identity?: string, options?: { refuseForMs?: number }): void;
  /** The client must build its connection anew. */
  forceReconnect(identity: string): void;
  kick(identity: string): void;
  /** The token that the client uses from now on where it dials again. */
  refreshToken(identity: string, token: string): void;
  stop(): Promise<void>;
}

const defaults: RoomOptions = { resumeWindowMs: 10_000, pingIntervalSeconds: 5, pingTimeoutSeconds: 15 };

/** Listens on a free port of the loopback interface. */
export async function startRoomServer(options: Partial<RoomOptions> = {}): Promise<RoomServer> {
  const rooms = new Map<string, Room>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 4 * 1024 * 1024 });
  const roomOptions = { ...defaults, ...options };
  let refuseUntilMs = 0;

  const roomOf = (name: string): Room => {
    const room = rooms.get(name) ?? new Room(name, roomOptions);
    rooms.set(name, room);
    return room;
  };

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (performance.now() < refuseUntilMs) {
      socket.destroy();
      return;
    }
    try {
      const url = new URL(request.url ?? "/", "http://server");
      const claims = await readClaims(request, devKey, devSecret);
      const { room } = requireJoin(claims);
      if (url.pathname !== "/rtc/v1") throw new Refusal(404, "only /rtc/v1 is served");
      const join = readJoinRequest(url);
      sockets.handleUpgrade(request, socket, head, (client) =>
        roomOf(room).join(claims, join, new Signal(client)),
      );
    } catch (error) {
      const { status, message } = refusal(error);
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Length: ${message.length}\r\nConnection: close\r\n\r\n${message}`,
      );
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { pathname } = new URL(request.url ?? "/", "http://server");
      const claims = await readClaims(request, devKey, devSecret);
      if (/^\/rtc(\/v1)?\/validate$/.test(pathname)) {
        requireJoin(claims);
        response.end("success");
        return;
      }
      const call = pathname.split("/twirp/livekit.RoomService/")[1];
      if (!call) throw new Refusal(404, "no such path");
      const body = (await json(request)) as { room?: string; identity?: string };
      const result = service(rooms, call, body);
      response.setHeader("content-type", "application/json").end(JSON.stringify(result));
    } catch (error) {
      const { status, message } = refusal(error);
      response.writeHead(status).end(message);
    }
  }

  const http = createServer((request, response) => void answer(request, response));
  http.on("upgrade", (request, socket, head) => void upgrade(request, socket, head));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  const everyone = () => [...rooms.values()].flatMap((room) => [...room.participants.values()]);
  const named = (identity: string) => {
    const found = everyone().find((participant) => participant.identity === identity);
    if (!found) throw new Error(`Nobody called ${identity} is in a room.`);
    return found;
  };
  return {
    url: `ws://127.0.0.1:${port}`,
    key: devKey,
    secret: devSecret,
    rooms,
    cutSignal: (identity, { refuseForMs = 0 } = {}) => {
      refuseUntilMs = performance.now() + refuseForMs;
      for (const participant of identity === undefined ? everyone() : [named(identity)])
        participant.cutSignal();
    },
    forceReconnect: (identity) =>
      named(identity).leave(DisconnectReason.UNKNOWN_REASON, LeaveAction.RECONNECT),
    kick: (identity) => named(identity).leave(DisconnectReason.PARTICIPANT_REMOVED, LeaveAction.DISCONNECT),
    refreshToken: (identity, token) => named(identity).send({ case: "refreshToken", value: token }),
    stop: async () => {
      for (const room of rooms.values()) room.end(DisconnectReason.SERVER_SHUTDOWN);
      sockets.close();
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}

function refusal(error: unknown): { status: number; message: string } {
  if (error instanceof Refusal) return { status: error.status, message: error.message };
  console.error(error);
  return { status: 500, message: "internal" };
}

async function json(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}");
}

/** The calls of LiveKit's room service that tests use. @throws Refusal for others, and for what is not there. */
function service(rooms: Map<string, Room>, call: string, body: { room?: string; identity?: string }): object {
  const room = rooms.get(body.room ?? "");
  if (call === "ListParticipants") {
    return { participants: [...(room?.participants.values() ?? [])].map(({ info }) => info.toJson()) };
  }
  if (!room) throw new Refusal(404, "no such room");
  if (call === "DeleteRoom") {
    room.end(DisconnectReason.ROOM_DELETED);
    rooms.delete(room.info.name);
    return {};
  }
  if (call === "RemoveParticipant") {
    const participant = room.participants.get(body.identity ?? "");
    if (!participant) throw new Refusal(404, "no such participant");
    participant.leave(DisconnectReason.PARTICIPANT_REMOVED, LeaveAction.DISCONNECT);
    return {};
  }
  throw new Refusal(404, `no such call: ${call}`);
}
