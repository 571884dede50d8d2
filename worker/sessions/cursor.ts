// Where a page of sessions ends, as an opaque text.

import { digestsEqual, sha256Hex } from "../platform/digest.ts";

/** The last row of a page; pages go on right behind it, whether or not it still exists. */
export interface Position {
  startedAt: number;
  id: string;
}

/** Hex digits of the tag: 128 bits, so that no guess and no slip of a copy fits by chance. */
const tagDigits = 32;

/**
 * Binds a position to its account. No secret goes in, so whoever knows an address can make a cursor for it; that gains
 * nothing, since rows are always selected by the caller's own account. What the tag gives is an error, rather than a
 * page from some other place, for a cursor that is another account's, cut short or altered.
 */
async function tagOf(account: string, position: string): Promise<string> {
  return (await sha256Hex(`session cursor\n${account}\n${position}`)).slice(0, tagDigits);
}

export async function writeCursor(account: string, { startedAt, id }: Position): Promise<string> {
  const position = `${startedAt}.${id}`;
  return btoa((await tagOf(account, position)) + position)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Null when the cursor is not exactly one that was written for this account. */
export async function readCursor(account: string, cursor: string): Promise<Position | null> {
  const [, tag, position, startedAt, id] =
    /^([0-9a-f]{32})(([0-9]{1,15})\.([\w-]{1,100}))$/.exec(decode(cursor) ?? "") ?? [];
  if (!tag || !position || !startedAt || !id) return null;
  const genuine = digestsEqual(tag, await tagOf(account, position));
  // Base64 has several spellings of one text; only ours is a cursor.
  if (!genuine || (await writeCursor(account, { startedAt: Number(startedAt), id })) !== cursor) return null;
  return { startedAt: Number(startedAt), id };
}

function decode(cursor: string): string | null {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
}
