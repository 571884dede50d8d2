import { createHash, randomInt } from "node:crypto";
import { AvatarError } from "./errors.ts";

const MAX_NAME_LENGTH = 80;
const MAX_SLUG_LENGTH = 40;
const SUFFIX_LENGTH = 6;
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** What ids look like on disk and on the wire; anything else is unknown without looking. */
export const AVATAR_ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Lower-case ASCII letters, digits and single hyphens; `avatar` when nothing else is left. */
export function slug(text: string): string {
  const ascii = text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  const joined = ascii
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
  return joined === "" ? "avatar" : joined;
}

/** A new id for a display name: the same name twice makes two avatars. */
export function uniqueId(name: string, isTaken: (id: string) => boolean): string {
  for (;;) {
    const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
    const id = `${slug(name)}-${suffix}`;
    if (!isTaken(id)) return id;
  }
}

/** The id of an account's file: the same file name of the same account is the same avatar, of another account another. */
export function filenameId(owner: string, filename: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([owner, filename]))
    .digest("hex");
  return `${slug(stem(filename))}-${digest.slice(0, 10)}`;
}

/** Throws AvatarError invalid_name. */
export function displayName(name: string | undefined, filename: string): string {
  if (name === undefined)
    return stem(filename).replace(/\p{C}/gu, "").trim().slice(0, MAX_NAME_LENGTH) || "Avatar";
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > MAX_NAME_LENGTH || /\p{C}/u.test(trimmed)) {
    throw new AvatarError(
      "invalid_name",
      `A name has 1 to ${MAX_NAME_LENGTH} characters and no control characters.`,
    );
  }
  return trimmed;
}

function stem(filename: string): string {
  const base = filename.split(/[/\\]/).at(-1) ?? "";
  return base.replace(/\.[^.]{1,5}$/, "");
}
