// A file of keys that an operator keeps by hand: digests alone, read again whenever it changes.

import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { ConfigError } from "../config.ts";
import { describeIssue } from "../issues.ts";
import type { Log } from "../ops/log.ts";
import { digestOf, type Authority, type Caller } from "./caller.ts";

/** Thousands of keys; more is some other file. */
const largestBytes = 1024 * 1024;
const lookEveryMs = 1_000;

/**
 * `{"keys":[{"sha256":"<64 hex digits>","account":"ann@example.org","name":"kiosk","operator":false}]}`. The digest is what
 * `printf %s "$KEY" | sha256sum` prints; `name` is for people, `operator` lets a key end anybody's session and read metrics.
 */
const fileSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      sha256: z
        .string()
        .transform((text) => text.toLowerCase())
        .refine((text) => /^[0-9a-f]{64}$/.test(text), "must be a SHA-256 digest of 64 hex digits"),
      account: z
        .string()
        .trim()
        .toLowerCase()
        .min(1)
        .max(254)
        .refine((name) => !name.startsWith("static:"), "must not begin with static:"),
      name: z.string().max(80).optional(),
      operator: z.boolean().default(false),
    }),
  ),
});

/** Says what is wrong with the file without repeating anything of it. */
class KeyFileError extends Error {}

function parse(text: string): Map<string, Caller> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new KeyFileError("is not JSON");
  }
  const checked = fileSchema.safeParse(value);
  if (!checked.success) throw new KeyFileError(describeIssue(checked.error).replace(/\.$/, ""));
  const callers = new Map<string, Caller>();
  for (const { sha256: digest, account, operator } of checked.data.keys) {
    if (callers.has(digest)) throw new KeyFileError("names one key twice");
    callers.set(digest, { account, scope: "full", kind: "key", digest, operator, expires_at: null });
  }
  return callers;
}

interface Version {
  callers: Map<string, Caller>;
  mark: string;
}

/** What tells one version of the file from the next, an editor's replacement of the same length among them. */
async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  if (size > BigInt(largestBytes)) throw new KeyFileError(`is larger than ${largestBytes} bytes`);
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}

async function read(path: string): Promise<Version> {
  // Looked at before it is read: a change in between is found the next time.
  const mark = await markOf(path);
  return { mark, callers: parse(await readFile(path, "utf8")) };
}

function describe(error: unknown): string {
  if (error instanceof KeyFileError) return error.message;
  return `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
}

export interface KeyFileOptions {
  path: string;
  log: Log;
  /** Digests of keys that were taken out, or now stand for somebody else. */
  onRemoved(digests: string[]): void;
  everyMs?: number;
}

/** Its keys are full and never expire; taking a line out revokes a key within a second or two. */
export class KeyFile implements Authority {
  readonly #options: KeyFileOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #removed = new Set<string>();
  #version: Version;
  #fault = "";
  #looking: Promise<void> | null = null;
  #closed = false;

  /** Rejects with ConfigError when the file cannot be used. */
  static async open(options: KeyFileOptions): Promise<KeyFile> {
    try {
      return new KeyFile(options, await read(options.path));
    } catch (error) {
      throw new ConfigError([`SERVICE_API_KEYS_TABLE: the file ${describe(error)}.`]);
    }
  }

  private constructor(options: KeyFileOptions, version: Version) {
    this.#options = options;
    this.#version = version;
    this.#timer = setInterval(() => void this.look(), options.everyMs ?? lookEveryMs);
    this.#timer.unref();
  }

  lookup(secret: string): Promise<Caller | null> {
    return Promise.resolve(this.#version.callers.get(digestOf(secret)) ?? null);
  }

  isRevoked(digest: string): boolean {
    return this.#removed.has(digest);
  }

  knows(digest: string): boolean {
    return this.#version.callers.has(digest);
  }

  /** Takes the file as it now stands. A file that cannot be used changes nothing, and is logged once. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { path, log } = this.#options;
    try {
      if ((await markOf(path)) === this.#version.mark && this.#fault === "") return;
      const version = await read(path);
      if (this.#closed) return;
      this.#fault = "";
      this.#take(version);
    } catch (error) {
      const fault = describe(error);
      if (fault !== this.#fault)
        log.error({ fault }, "the key table cannot be used; its keys stay as they were");
      this.#fault = fault;
    }
  }

  #take(version: Version): void {
    const before = this.#version.callers;
    this.#version = version;
    for (const digest of version.callers.keys()) this.#removed.delete(digest);
    const ended: string[] = [];
    for (const [digest, { account }] of before) {
      const now = version.callers.get(digest);
      if (!now) this.#removed.add(digest);
      if (now?.account !== account) ended.push(digest);
    }
    this.#options.log.info({ keys: version.callers.size, revoked: ended.length }, "the key table changed");
    if (ended.length > 0) this.#options.onRemoved(ended);
  }
}
