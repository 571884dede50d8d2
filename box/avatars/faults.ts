// What a failed build says to whoever waits for it.

import { isDiskFull, Refusal } from "../failure.ts";
import { MediaError } from "../media/media.ts";
import { AvatarError } from "./errors.ts";

export const diskFull = "The disk of this box is full; nothing was kept. Try again when there is room.";

/** The sentence of a failure, in words of ours: whatever else an error says stays here. */
export function sentenceOf(error: unknown, otherwise: string): string {
  if (isDiskFull(error)) return diskFull;
  return error instanceof Refusal || error instanceof MediaError ? error.message : otherwise;
}

/** A failure that its cause must be logged of: nobody can be told what it was. */
export function isDefect(error: unknown): boolean {
  return !(error instanceof Refusal || error instanceof MediaError);
}

/** Runs what writes to the disk: where that is full, AvatarError storage_full. */
export async function withDisk<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (isDiskFull(error)) throw new AvatarError("storage_full", diskFull, { cause: error });
    throw error;
  }
}
