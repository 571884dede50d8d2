// Portraits of nobody: generated from a description, looked at, approved by the digest of what was looked at. The bytes
// of one never change; another attempt is another portrait.

import type { Portrait } from "../../contract/portraits.ts";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import type { Env } from "../platform/env.ts";
import { failure, rateLimited, success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { describeError, log } from "../platform/log.ts";
import type { RateWindow } from "../platform/rate.ts";
import type { Signer } from "../platform/storage.ts";
import { seedOf } from "./generator.ts";
import { generatorOf } from "./generators.ts";
import {
  approveBytes,
  deleteEnded,
  deletePortrait,
  findPortrait,
  finishPortrait,
  insertPortrait,
  listEnded,
  secondsUntilRoom,
  type PortraitRow,
} from "./store.ts";

/** What nobody approved within this time is removed. */
export const unapprovedSeconds = 30 * 24 * 3600;
const hourSeconds = 3600;
/** Most portraits one clean-up removes. */
const removedAtOnce = 500;

type Studio = Pick<Env, "db" | "media" | "portraitUrl">;

export interface PortraitRequest {
  account: string;
  id: string;
}

const unknownPortrait = failure("unknown_portrait", "You have no such portrait.");
const noStorage = failure(
  "media_unavailable",
  "No media storage is configured here, so no picture can be shown.",
);

const keptSince = () => nowSeconds() - unapprovedSeconds;

const keyOf = (id: string): string => `portraits/${id}.png`;

async function show(row: PortraitRow, signer: Signer): Promise<Portrait> {
  return {
    portrait_id: row.id,
    persona: row.persona,
    state: "ready",
    attempt: row.attempt,
    parent_id: row.parentId,
    sha256: row.sha256,
    image_url: await signer.get(keyOf(row.id)),
    expires_in: limits.signedUrlSeconds,
    created_at: row.createdAt,
    approved_at: row.approvedAt,
  };
}

type Draft = Pick<PortraitRow, "account" | "persona" | "attempt" | "parentId">;

async function noRoom(db: D1Database, window: RateWindow, parentId: string | null): Promise<Outcome<never>> {
  const wait = await secondsUntilRoom(db, window);
  if (wait === null && parentId !== null) return unknownPortrait;
  return rateLimited(`An account has ${window.most} portraits an hour. Try again later.`, wait ?? 1);
}

/**
 * Writes the row, draws, stores the picture, then lets the row be seen. In this order a portrait counts before it costs
 * anything, and no picture is ever in storage that no row leads to. One that fails is taken back and does not count.
 */
async function draw(studio: Studio, signer: Signer, draft: Draft): Promise<Outcome<Portrait>> {
  const { db, media } = studio;
  const id = newId();
  const now = nowSeconds();
  const window = { account: draft.account, now, seconds: hourSeconds, most: limits.portraitsPerHour };
  try {
    if (!(await insertPortrait(db, { ...draft, id, createdAt: now }, window))) {
      return await noRoom(db, window, draft.parentId);
    }
    const bytes = await generatorOf(studio).draw({ persona: draft.persona, seed: seedOf(id) });
    await media.put(keyOf(id), bytes, { httpMetadata: { contentType: "image/png" } });
    const row = await finishPortrait(db, id, await sha256Hex(bytes));
    if (!row) throw new Error("The portrait's row is gone.");
    return success(await show(row, signer));
  } catch (error) {
    await forget(studio, id);
    return failure("portrait_failed", "The portrait could not be made. Try again.", error);
  }
}

/** Takes back what a failed attempt left; what cannot be taken back now is unapproved, so the clean-up gets to it. */
async function forget({ db, media }: Studio, id: string): Promise<void> {
  try {
    await media.delete(keyOf(id));
    await deletePortrait(db, id);
  } catch (error) {
    log("warn", "portrait_left", describeError(error));
  }
}

export async function createPortrait(
  studio: Studio,
  signer: Signer | null,
  { account, persona }: { account: string; persona: string },
): Promise<Outcome<Portrait>> {
  if (!signer) return noStorage;
  return draw(studio, signer, { account, persona, attempt: 1, parentId: null });
}

export async function readPortrait(
  { db }: Studio,
  signer: Signer | null,
  request: PortraitRequest,
): Promise<Outcome<Portrait>> {
  const row = await findPortrait(db, { ...request, keptSince: keptSince() });
  if (!row) return unknownPortrait;
  return signer ? success(await show(row, signer)) : noStorage;
}

/** Approves a portrait whose bytes have the given digest. Again is fine, and changes nothing. */
export async function approvePortrait(
  studio: Studio,
  signer: Signer | null,
  { sha256, ...request }: PortraitRequest & { sha256: string },
): Promise<Outcome<Portrait>> {
  const before = await readPortrait(studio, signer, request);
  if (!before.ok || !signer) return before;
  const query = { ...request, keptSince: keptSince() };
  const row = await approveBytes(studio.db, query, { sha256, at: nowSeconds() });
  if (row) return success(await show(row, signer));
  return failure("portrait_changed", "The digest is not that of this portrait. Look at it again.");
}

/** Draws the same persona again, as a new portrait; the old one stays as it was. */
export async function regeneratePortrait(
  studio: Studio,
  signer: Signer | null,
  request: PortraitRequest,
): Promise<Outcome<Portrait>> {
  const parent = await findPortrait(studio.db, { ...request, keptSince: keptSince() });
  if (!parent) return unknownPortrait;
  if (!signer) return noStorage;
  const { account, persona, attempt } = parent;
  return draw(studio, signer, { account, persona, attempt: attempt + 1, parentId: parent.id });
}

/** The clean-up's task: removes the pictures, then the rows, of what nobody approved in time. */
export async function removeUnapproved({ db, media }: Pick<Env, "db" | "media">): Promise<void> {
  const ended = await listEnded(db, { keptSince: keptSince(), limit: removedAtOnce });
  if (ended.length === 0) return;
  await media.delete(ended.map(keyOf));
  await deleteEnded(db, ended);
}
