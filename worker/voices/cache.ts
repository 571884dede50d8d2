// What providers answered lately, in KV: losing it costs one more question, and its failures are ignored.

import { z } from "zod";
import type { ByoEngine } from "../../contract/voices.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import type { VoiceKeyRow } from "./store.ts";

/** The shortest life KV gives an entry, in seconds; each therefore carries its own end as well. */
const kvLeastSeconds = 60;

/**
 * The name of what a provider answered under a key. It holds digests only: that of the key as it was sealed, which is
 * random and another one each time, so that no two accounts share an entry and nothing an older key was answered is ever
 * found under a newer one.
 */
export async function cacheName(
  kind: "list" | "sample",
  key: Pick<VoiceKeyRow, "provider" | "sealed">,
  voice = "",
): Promise<string> {
  const parts = [(await sha256Hex(key.sealed)).slice(0, 32)];
  if (voice !== "") parts.push(await sha256Hex(voice));
  return `voices/${kind}/${key.provider satisfies ByoEngine}/${parts.join("/")}`;
}

const entrySchema = z.object({ expires_at: z.number(), value: z.unknown() });

/** A cached value that is still good and still what the schema says; else null. */
export async function readCached<S extends z.ZodType>(
  kv: KVNamespace,
  name: string,
  schema: S,
): Promise<z.infer<S> | null> {
  try {
    const entry = entrySchema.parse(await kv.get(name, "json"));
    return entry.expires_at > nowSeconds() ? schema.parse(entry.value) : null;
  } catch {
    return null;
  }
}

export async function writeCached(
  kv: KVNamespace,
  name: string,
  value: unknown,
  seconds: number,
): Promise<void> {
  const entry = JSON.stringify({ expires_at: nowSeconds() + seconds, value });
  await ignoringFailure(kv.put(name, entry, { expirationTtl: Math.max(kvLeastSeconds, seconds) }));
}

export async function readCachedBytes(
  kv: KVNamespace,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const bytes = await kv.get(name, "arrayBuffer");
    return bytes && new Uint8Array(bytes);
  } catch {
    return null;
  }
}

export async function writeCachedBytes(
  kv: KVNamespace,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  seconds: number,
): Promise<void> {
  await ignoringFailure(kv.put(name, bytes, { expirationTtl: seconds }));
}

async function ignoringFailure(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch {
    // The next caller asks the provider again.
  }
}
