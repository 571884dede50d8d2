// The erasure of a session, and what the clean-up does for it.

import type { z } from "zod";
import { sessionArtefactSchema, type sessionErasureSchema } from "../../contract/sessions.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { success, type Outcome } from "../platform/errors.ts";
import { carryOutRemoval } from "../platform/removals.ts";
import { putEndsWithinSeconds } from "../platform/storage.ts";
import { dropAbandoned, eraseRows, findErasable, settleErased } from "./erasure-store.ts";
import { sessionPrefix } from "./folders.ts";
import { noSession, storeFailed } from "./sessions.ts";

type SessionErasure = z.infer<typeof sessionErasureSchema>;
type SessionArtefact = z.infer<typeof sessionArtefactSchema>;

const artefacts = sessionArtefactSchema.options;
/** Those that live in storage; the rest goes with the rows. */
const stored: readonly SessionArtefact[] = ["recording", "recording_consent"];

/** Boxes live about two hours, so no report of a session erased a day ago can still come. */
export const erasedKeptSeconds = 24 * 3600;
/** A recording whose box never said that it arrived is given up after this long. */
const abandonedSeconds = 24 * 3600;

/**
 * Erases a session of the account, live or over. What storage refuses is pending, and the clean-up goes on with it; until
 * then asking again tries again. A session that is wholly gone is not found.
 */
export async function eraseSession(
  { db, media }: Pick<Env, "db" | "media">,
  { account, id }: { account: string; id: string },
): Promise<Outcome<SessionErasure>> {
  try {
    const { exists, pending } = await findErasable(db, { account, id });
    if (!exists && !pending) return noSession;
    if (exists) await eraseRows(db, { account, id, at: nowSeconds(), putEndsWithinSeconds });
    const emptied = await carryOutRemoval({ db, media }, sessionPrefix(id));
    const isPending = (artefact: SessionArtefact) => !emptied && stored.includes(artefact);
    return success({
      done: artefacts.filter((artefact) => !isPending(artefact)),
      pending: artefacts.filter(isPending),
    });
  } catch (cause) {
    return storeFailed(cause);
  }
}

/** Drops abandoned recordings, and notes what late PUTs may have left in the folders of erased sessions. */
export async function settleSessions({ db }: Pick<Env, "db">): Promise<void> {
  const now = nowSeconds();
  await settleErased(db, { now, keptSeconds: erasedKeptSeconds });
  await dropAbandoned(db, now - abandonedSeconds);
}
