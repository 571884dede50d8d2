// A photograph as it is handed in, and how it is read.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { limits } from "../../contract/limits.ts";
import { AvatarError } from "./errors.ts";

export interface CreateAvatarRequest {
  owner: string;
  filename: string;
  /** Display name; with it a new unique id is made, without it the id comes from the filename and replaces. */
  name?: string;
  /** The photograph: in memory, or a file that the library reads and leaves in place. */
  bytes?: Uint8Array;
  bytesPath?: string;
  /** Multipart text as received; empty is bust, anything but head, bust, full is `invalid_framing`. */
  framing?: string;
  /** How much the head moves, 0..1 (0.5). */
  gestureAmplitude?: number;
}

/** Rejects with AvatarError image_too_large. */
export async function photoBytes({ bytes, bytesPath }: CreateAvatarRequest): Promise<Uint8Array> {
  if (bytes) return bytes;
  if (bytesPath === undefined) throw new TypeError("An avatar needs bytes or bytesPath.");
  const { size } = await stat(bytesPath);
  if (size > limits.imageBytes) {
    throw new AvatarError(
      "image_too_large",
      `A photograph may have at most ${limits.imageBytes / 1024 / 1024} MB.`,
    );
  }
  return readFile(bytesPath);
}

/** SHA-256, hex. */
export function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
