// Portraits of nobody: generated from a description, looked at, approved by the digest of what was looked at. The bytes
// of one never change; another attempt is another portrait.

import type { Portrait } from "../../contract/portraits.ts";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { bytesSha256Hex } from "./digest.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { describeError, log } from "../platform/log.ts";
import { ownerFolder, type Signer } from "../platform/storage.ts";
import { seedOf } from "./generator.ts";
import { generatorOf } from "./generators.ts";
import {
  approveBytes,
  deleteEnded,
  deletePortrait,
  findPortrait,
  insertPortrait,
  listEnded,
  type PortraitRow,
} from "./store.ts";

/** What nobody approved within this time is removed. */
export const unapprovedSeconds = 30 * 24 * 3600;
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

async function keyOf({ account, id }: PortraitRequest): Promise<string> {
  return `portraits/${await ownerFolder(account)}/${id}.png`;
}

async function show(row: PortraitRow, signer: Signer): Promise<Portrait> {
  return {
    portrait_id: row.id,
    persona: row.persona,
    state: "ready",
    attempt: row.attempt,
    parent_id: row.parentId,
    sha256: row.sha256,
    image_url: await signer.get(await keyOf(row)),
    expires_in: limits.signedUrlSeconds,
    created_at: row.createdAt,
    approved_at: row.approvedAt,
  };
}

type Draft = Pick<PortraitRow, "account" | "persona" | "attempt" | "parentId">;

/**
 * Draws, writes the row, then the picture. In this order no picture is ever in storage that no row leads to; a row
 * without its picture is known to nobody, since its id has not been told.
 */
async function draw(studio: Studio, signer: Signer, draft: Draft): Promise<Outcome<Portrait>> {
  const { db, media } = studio;
  const id = newId();
  const key = await keyOf({ account: draft.account, id });
  let drawn = false;
  try {
    const bytes = await generatorOf(studio).draw({ persona: draft.persona, seed: seedOf(id) });
    drawn = true;
    const row: PortraitRow = {
      ...draft,
      id,
      sha256: await bytesSha256Hex(bytes),
      createdAt: nowSeconds(),
      approvedAt: null,
    };
    if (!(await insertPortrait(db, row))) return unknownPortrait;
    await media.put(key, bytes, { httpMetadata: { contentType: "image/png" } });
    return success(await show(row, signer));
  } catch (error) {
    if (drawn) await forget(studio, { account: draft.account, id });
    return failure("portrait_failed", "The portrait could not be made. Try again.", error);
  }
}

/** Takes back what a failed attempt left; what cannot be taken back now is unapproved, so the clean-up gets to it. */
async function forget({ db, media }: Studio, portrait: PortraitRequest): Promise<void> {
  try {
    await media.delete(await keyOf(portrait));
    await deletePortrait(db, portrait.id);
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
  await media.delete(await Promise.all(ended.map(keyOf)));
  await deleteEnded(
    db,
    ended.map(({ id }) => id),
  );
}
