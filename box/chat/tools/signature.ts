// The signature on a call of a custom tool, and the secret behind it.

import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** In the state folder; readable by the box's own user only. */
export const signingSecretFile = "tool-signing-secret";
const ownerOnly = 0o600;
const shortestSecret = 16;

/** `t=<unix seconds>,v1=<hex hmac-sha256 of "<t>.<body>">`. */
export function signatureOf({
  body,
  secret,
  nowMs,
}: {
  body: string;
  secret: string;
  nowMs: number;
}): string {
  const seconds = Math.floor(nowMs / 1000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

async function kept(path: string): Promise<string | null> {
  const secret = (await readFile(path, "utf8").catch(() => "")).trim();
  if (secret.length < shortestSecret) return null;
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, ownerOnly);
  return secret;
}

/** The secret that the state folder keeps; made once, and whole from the moment it is there. */
export async function keptSigningSecret(stateDir: string): Promise<string> {
  const path = join(stateDir, signingSecretFile);
  const before = await kept(path);
  if (before !== null) return before;
  const made = randomBytes(32).toString("base64url");
  await mkdir(stateDir, { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, "wx", ownerOnly);
  try {
    await file.writeFile(`${made}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    // Of two boxes that start at once on one folder, the first gives both their secret.
    await link(temporary, path);
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const theirs = await kept(path);
    if (theirs !== null) return theirs;
    // What is there is no secret, but a file cut short.
    await rename(temporary, path);
    return made;
  } finally {
    await rm(temporary, { force: true });
  }
}
