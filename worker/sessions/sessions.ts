// Session history: what its account reads and edits.

import { limits } from "../../contract/limits.ts";
import type { SessionDetail, SessionPage, SessionPatch, SessionRow } from "../../contract/sessions.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import type { Signer } from "../platform/storage.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { consentKey, recordingKey } from "./folders.ts";
import { editSession, findSession, listSessions, type SessionFacts } from "./store.ts";
import { previewOf, titleOf } from "./titles.ts";

export const noSession = failure("session_not_found", "You have no such session.");

export const storeFailed = (cause: unknown): Outcome<never> =>
  failure("sessions_unavailable", "The session history cannot be reached just now. Try again.", cause);

function sessionRow({
  session,
  avatarName,
  recordingStoredAt,
  firstLine,
  firstUserLine,
}: SessionFacts): SessionRow {
  const { startedAt, endedAt } = session;
  return {
    id: session.id,
    title: titleOf({ edited: session.title, firstUserLine, avatarName, avatarId: session.avatarId }),
    preview: previewOf(firstLine),
    avatar_id: session.avatarId,
    started_at: startedAt,
    ended_at: endedAt,
    // The clock of a box may be behind the one that took its session for lost.
    duration_seconds: endedAt === null ? null : Math.max(0, endedAt - startedAt),
    turns: session.turns,
    has_recording: recordingStoredAt !== null,
    starred: session.starred,
    tags: session.tags,
    kind: session.kind,
    end_reason: session.endReason,
    model: session.model,
    voice: session.voice,
    persona: session.persona,
    notes: session.notes,
  };
}

/** Clamped to 1..50; what is no integer counts as absent, so that a link made by hand still shows a page. */
function pageSize(limit: string | undefined): number {
  const { default: fallback, max } = limits.sessionPage;
  if (limit === undefined || !/^\s*[+-]?\d+\s*$/.test(limit)) return fallback;
  return Math.min(max, Math.max(1, Number(limit)));
}

export interface PageRequest {
  account: string;
  limit?: string | undefined;
  cursor?: string | undefined;
}

export async function readPage(
  db: D1Database,
  { account, limit, cursor }: PageRequest,
): Promise<Outcome<SessionPage>> {
  const after = cursor === undefined ? null : await readCursor(account, cursor);
  if (cursor !== undefined && after === null) {
    return failure("invalid_cursor", "The cursor is not one that a page of your sessions answered.");
  }
  const size = pageSize(limit);
  try {
    // One more than is shown tells whether another page follows.
    const found = await listSessions(db, account, { after, limit: size + 1 });
    const rows = found.slice(0, size);
    const last = rows.at(-1)?.session;
    const more = found.length > size && last;
    return success({
      sessions: rows.map(sessionRow),
      ...(more ? { next: await writeCursor(account, last) } : {}),
    });
  } catch (cause) {
    return storeFailed(cause);
  }
}

/** A link to an object; null when it is gone. A bucket that does not answer leaves the record's own word standing. */
async function linkTo(media: R2Bucket, signer: Signer, key: string): Promise<string | null> {
  const there = await media.head(key).then(
    (object) => object !== null,
    (error: unknown) => {
      log("warn", "session_media", describeError(error));
      return true;
    },
  );
  return there ? signer.get(key) : null;
}

export async function readSession(
  { db, media }: Pick<Env, "db" | "media">,
  { account, id, signer }: { account: string; id: string; signer: Signer | null },
): Promise<Outcome<SessionDetail>> {
  try {
    const stored = await findSession(db, account, id);
    if (!stored) return noSession;
    const session = sessionRow(stored.facts);
    const links =
      signer && session.has_recording
        ? await Promise.all([recordingKey, consentKey].map((keyOf) => linkTo(media, signer, keyOf(id))))
        : [];
    return success({
      session,
      transcript: stored.lines.map(({ role, content, tone, at }) => ({ role, content, tone, at })),
      recording: links[0] ?? null,
      consent: links[1] ?? null,
    });
  } catch (cause) {
    return storeFailed(cause);
  }
}

export async function changeSession(
  db: D1Database,
  change: { account: string; id: string; patch: SessionPatch },
): Promise<Outcome<SessionRow>> {
  try {
    const facts = await editSession(db, change);
    return facts ? success(sessionRow(facts)) : noSession;
  } catch (cause) {
    return storeFailed(cause);
  }
}
