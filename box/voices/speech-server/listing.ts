// The voices of a speech server, in the shapes that servers list them in.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { ListedVoice } from "../voice.ts";
import type { Clone } from "./clone-record.ts";

/** What every server of this kind is asked for by OpenAI's clients; it stands for a list where a server has none. */
const usualNames = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"];
const mostVoices = 2_000;
const idChars = 200;

const rowSchema = z.union([
  z.string().transform((id) => ({ id, name: id })),
  z.looseObject({
    id: z.string().optional(),
    voice_id: z.string().optional(),
    name: z.string().optional(),
    language: z.string().nullish(),
    gender: z.string().nullish(),
    description: z.string().nullish(),
  }),
]);
const listSchema = z.union([
  z.array(z.unknown()),
  z.object({ voices: z.array(z.unknown()) }).transform(({ voices }) => voices),
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
]);

/** Kokoro names its voices by language and gender: `af_heart`, `jm_kumo`. */
const kokoro: Record<string, string> = {
  a: "en-US",
  b: "en-GB",
  e: "es-ES",
  f: "fr-FR",
  h: "hi-IN",
  i: "it-IT",
  j: "ja-JP",
  p: "pt-BR",
  z: "zh-CN",
};

function named(id: string): { name: string; language: string; gender: string } {
  const match = /^([abefhijpz])([fm])_(\w+)$/.exec(id);
  const words = (match?.[3] ?? ownName(id)).replaceAll(/[_-]+/g, " ").trim();
  return {
    name: words.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) || id,
    language: kokoro[match?.[1] ?? ""] ?? "",
    gender: match ? (match[2] === "f" ? "female" : "male") : "",
  };
}

/** A voice, and the mark of the account it belongs to; null where it is everybody's. */
export interface ServerVoice {
  voice: ListedVoice;
  owner: string | null;
}

/** Null for an answer that is no list of voices. `cloneOf`: what is known of a clone, by the server's id of it. */
export function readListing(
  answer: unknown,
  cloneOf: (id: string) => Clone | null = () => null,
): ServerVoice[] | null {
  const rows = listSchema.safeParse(answer).data;
  if (!rows) return null;
  const found = new Map<string, ServerVoice>();
  for (const row of rows.slice(0, mostVoices)) {
    const { data: told } = rowSchema.safeParse(row);
    if (!told) continue;
    const shown = told.name?.trim() ?? "";
    const given = "voice_id" in told ? (told.id ?? told.voice_id) : told.id;
    const id = (given ?? shown).trim();
    if (id === "" || id.length > idChars) continue;
    const clone = cloneOf(id);
    const owner = clone?.owner ?? ownerOf(id) ?? ownerOf(shown);
    const guess = clone
      ? { name: clone.name, language: "", gender: "" }
      : named(owner === null || ownerOf(id) !== null ? id : shown);
    const field = (name: "language" | "gender" | "description") => {
      const value = (told as Record<string, unknown>)[name];
      return typeof value === "string" ? value : "";
    };
    const voice: ListedVoice = {
      provider: "local",
      id,
      name: (shown !== "" && shown !== id && owner === null ? shown : guess.name).slice(0, 200),
      language: field("language") || guess.language,
      gender: (field("gender") || guess.gender).toLowerCase(),
      description: field("description").slice(0, 1_000),
      // The first that a server names is the one it speaks with by itself; a clone is somebody's own.
      recommended: owner === null && ![...found.values()].some((other) => other.owner === null),
    };
    found.set(id, { voice, owner });
  }
  return [...found.values()];
}

/** Of a server that lists none: OpenAI's, and those that were cloned here. */
export function usualListing(clones: readonly Clone[]): ServerVoice[] {
  const own = new Map(clones.map((clone) => [clone.id, clone]));
  return readListing([...usualNames, ...own.keys()], (id) => own.get(id) ?? null) ?? [];
}

/**
 * A voice that was cloned here carries the digest of its account in its id, so that a server shared by accounts, and by
 * boxes, shows each of them its own alone.
 */
const ownedId = /^(.+)_[0-9a-f]{6}_vv([0-9a-f]{16})$/;

export function ownerMark(account: string): string {
  return createHash("sha256").update(`voice of ${account}`).digest("hex").slice(0, 16);
}

export function ownerOf(id: string): string | null {
  return ownedId.exec(id)?.[2] ?? null;
}

function ownName(id: string): string {
  return ownedId.exec(id)?.[1] ?? id;
}

/** Letters that every server takes in a name, unique, and the account's own. */
export function cloneId(name: string, account: string, random: string): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase()
    .slice(0, 60);
  return `${words === "" ? "voice" : words}_${random}_vv${ownerMark(account)}`;
}
