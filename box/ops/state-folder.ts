// The state folder belongs to one box at a time.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { ConfigError } from "../config.ts";

/** Makes the folder if need be, and keeps it to this process until that ends. Rejects with ConfigError. */
export async function claimStateFolder(stateDir: string): Promise<void> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await access(stateDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(error, stateDir) ?? error;
  }
  await lock(stateDir);
}

/**
 * An abstract socket is a lock that the kernel gives back however its holder ends, and that leaves no file behind. It holds within one
 * network namespace; other systems than Linux have none.
 */
async function lock(stateDir: string): Promise<void> {
  if (process.platform !== "linux") return;
  const digest = createHash("sha256")
    .update(await realpath(stateDir))
    .digest("hex");
  const server = createServer((socket) => socket.destroy());
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigError(["VISAVIS_STATE: another box is running on this folder."])
          : error,
      ),
    );
    server.listen(`\0visavis-${digest}`, resolve);
  });
}

/** What is to be said of an error where the box could not write to its folder; null where it is about something else. */
export function unwritable(error: unknown, stateDir: string): ConfigError | null {
  const { code, path, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (!code || !syscall || (path !== stateDir && !path?.startsWith(`${stateDir}/`))) return null;
  return new ConfigError([`VISAVIS_STATE: cannot be written to (${code}).`]);
}
