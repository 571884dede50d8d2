// What an erasure takes away: everything of an avatar, or what was built before another came under its id.

import type { BuildQueue } from "./build-queue.ts";
import { takenAt } from "./entry.ts";
import { AVATAR_ID } from "./ids.ts";
import type { AvatarRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";

export interface ErasureOptions {
  shelf: Shelf;
  queue: BuildQueue;
  account: string;
  id: string;
  /** Epoch seconds. */
  erasedAt: number;
  forgetChoice(): Promise<void>;
}

/**
 * Removes an avatar with its files and calls off what is being built of it. It is gone for whoever asks, and for the next
 * start of the box, before a build under way is waited for.
 */
export async function removeAvatar({
  shelf,
  queue,
  id,
  forgetChoice,
}: Pick<ErasureOptions, "shelf" | "queue" | "id" | "forgetChoice">): Promise<void> {
  shelf.forget(id);
  const removal = queue.remove(id);
  try {
    await shelf.withdraw(id);
    await forgetChoice();
    await removal.settled;
    await shelf.remove(id);
  } finally {
    removal.release();
  }
}

/** False when it was not possible now. */
export async function eraseAvatar({
  shelf,
  queue,
  account,
  id,
  erasedAt,
  forgetChoice,
}: ErasureOptions): Promise<boolean> {
  if (!AVATAR_ID.test(id)) return true;
  const known = shelf.get(id);
  if (known && known.owner !== account) return true;
  if (queue.closed) return false;
  const isErased = (record: AvatarRecord) => takenAt(record) <= erasedAt;
  // Another upload that is being checked for the same id is waited for: it takes the place of this one, or leaves it.
  if (known && isErased(known) && !queue.isBeingTakenIn(id)) {
    await removeAvatar({ shelf, queue, id, forgetChoice });
    return true;
  }
  await queue.settled(id);
  if (queue.isBusy(id) || queue.closed) return false;
  const claim = queue.claimAvatar(id, { unlimited: true });
  try {
    const record = shelf.get(id);
    if (!record || isErased(record)) {
      await forgetChoice();
      await shelf.remove(id);
    } else if (record.status === "preparing") {
      return false;
    } else {
      // Of a failed one the build on disk is the one before.
      const kept: AvatarRecord = record.status === "ready" ? record : { ...record, build: null };
      await shelf.put(kept);
      await shelf.store.removeAllBut(kept);
    }
    return true;
  } finally {
    claim.release();
  }
}
