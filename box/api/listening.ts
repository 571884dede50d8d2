// The box's HTTP server: from its first connection to its last.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BoxConfig } from "../config.ts";

/** Resolves with where it listens, without a slash at the end. */
export function listen(server: Server, { host, port }: Pick<BoxConfig, "host" | "port">): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address() as AddressInfo;
      const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}

/** Finished answers go out; what is still being read or written is cut. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(timer);
}
