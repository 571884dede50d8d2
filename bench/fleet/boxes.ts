// A thousand boxes that exist in their heartbeats alone, and one address where all of them are reached.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Heartbeat } from "../../contract/internal/boxes.ts";

export interface SimulatedBox {
  id: string;
  secret: string;
  /** The live session, as the box would report it. */
  session: Heartbeat["session"];
  /** Callers it took while it already had one: the portal must never send a second. */
  doubled: number;
}

/** Where the boxes are reached. */
export interface Address {
  /** Where the front door reaches box number `index`. */
  urlOf(index: number): string;
  close(): Promise<void>;
}

export function makeBoxes(count: number): SimulatedBox[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `box-${index}`,
    secret: `secret-of-simulated-box-${index}`,
    session: null,
    doubled: 0,
  }));
}

/**
 * Every box has a loopback address of its own (127.1.x.y): that is how one server tells them apart. A call of `POST /connect`
 * opens the session of the caller whom the key names, `POST /disconnect` ends it.
 */
export async function listen(
  boxes: readonly SimulatedBox[],
  onChange: (index: number) => void,
): Promise<Address> {
  const server = createServer((request, response) => {
    const index = indexOf(request.socket.localAddress ?? "");
    const box = boxes[index];
    request.resume();
    request.once("end", () => {
      const account = String(request.headers["x-simulated-account"] ?? "");
      if (!box || account === "") {
        response.writeHead(400).end();
        return;
      }
      if (request.url === "/connect") {
        if (box.session && box.session.account !== account) box.doubled += 1;
        box.session = { session_id: `${box.id}-${account}`, account, kind: "api" };
      } else if (request.url === "/disconnect" && box.session?.account === account) box.session = null;
      if (request.method === "POST") onChange(index);
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ box: box.id }));
    });
  });
  // A connection that is closed just as the portal takes it up again looks like a box that is gone.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => {
    server.listen(0, "0.0.0.0", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (index) => `http://${addressOf(index)}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const addressOf = (index: number) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;

function indexOf(address: string): number {
  const [, , third, fourth] = address
    .replace(/^::ffff:/, "")
    .split(".")
    .map(Number);
  return (third ?? 0) * 250 + (fourth ?? 0) - 1;
}
