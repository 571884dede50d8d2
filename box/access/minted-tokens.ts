// The stream-only tokens that this box minted: one small file each, of a digest and never of a token.

import { randomInt } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { credentialPrefix, secretPattern } from "../../contract/credentials.ts";
import { Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import { digestOf, type Authority, type Caller } from "./caller.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Digits that hold 256 bits in base 62. */
const secretDigits = 43;
/** Ten a second for as long as one lives. */
const capacity = 6_000;
const sweepEveryMs = 60_000;
const digestPattern = /^[0-9a-f]{64}$/;

const recordSchema = z.strictObject({ account: z.string(), parent: z.string(), expires_at: z.int() });
type Minted = z.infer<typeof recordSchema>;

function newToken(): string {
  const digits = Array.from({ length: secretDigits }, () => alphabet.charAt(randomInt(alphabet.length)));
  return credentialPrefix.token + digits.join("");
}

export interface MintedTokensOptions {
  /** The box's own; made when it is not there. */
  dir: string;
  log: Log;
  /** Whether the key behind a digest is still one: its tokens die with it, also while the box is down. */
  knowsParent(digest: string): boolean;
  nowMs?(): number;
}

export class MintedTokens implements Authority {
  readonly #options: MintedTokensOptions;
  readonly #nowMs: () => number;
  readonly #tokens = new Map<string, Minted>();
  /** Gone before their time; kept until that has come. */
  readonly #revoked = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #removing = new Set<Promise<void>>();

  static async open(options: MintedTokensOptions): Promise<MintedTokens> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    const tokens = new MintedTokens(options);
    await tokens.#load();
    return tokens;
  }

  private constructor(options: MintedTokensOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#timer = setInterval(() => this.#sweep(), sweepEveryMs);
    this.#timer.unref();
  }

  get size(): number {
    return this.#tokens.size;
  }

  lookup(secret: string): Promise<Caller | null> {
    if (!secretPattern.test(secret)) return Promise.resolve(null);
    const digest = digestOf(secret);
    const minted = this.#tokens.get(digest);
    if (!minted || this.#isOver(minted)) return Promise.resolve(null);
    const { account, expires_at } = minted;
    return Promise.resolve({ account, scope: "tts", kind: "token", digest, operator: false, expires_at });
  }

  isRevoked(digest: string): boolean {
    return this.#revoked.has(digest);
  }

  /** A new token of the caller's account. Rejects with Refusal `mint_failed` when it cannot be kept. */
  async mint({ account, digest: parent }: Caller, ttlSeconds: number) {
    this.#sweep();
    const full = () =>
      new Refusal("mint_failed", "This box keeps as many tokens as it can; try again later.");
    if (this.#tokens.size >= capacity) throw full();
    const token = newToken();
    const digest = digestOf(token);
    const minted: Minted = {
      account,
      parent,
      expires_at: Math.floor(this.#nowMs() / 1000) + ttlSeconds,
    };
    // Reserved before it is written, so that many at once stay within the capacity.
    this.#tokens.set(digest, minted);
    const path = join(this.#options.dir, digest);
    try {
      await writeFile(`${path}.new`, JSON.stringify(minted), { mode: 0o600, flag: "wx", flush: true });
      await rename(`${path}.new`, path);
    } catch (cause) {
      this.#tokens.delete(digest);
      await rm(`${path}.new`, { force: true }).catch(() => undefined);
      throw new Refusal("mint_failed", "The key table of this box could not be written to; try again.", {
        cause,
      });
    }
    if (!this.#tokens.has(digest) || !this.#options.knowsParent(parent)) {
      // Its key was revoked meanwhile.
      this.#drop(digest, minted);
      throw new Refusal("invalid_api_key", "The API key is not recognised, was revoked or has expired.", {
        headers: { "WWW-Authenticate": "Bearer" },
      });
    }
    return { token, expires_at: minted.expires_at };
  }

  /** Ends the tokens that these keys minted, and names them. */
  revokeOf(parents: ReadonlySet<string>): string[] {
    const ended = Array.from(this.#tokens).filter(([, { parent }]) => parents.has(parent));
    for (const [digest, minted] of ended) this.#drop(digest, minted);
    return ended.map(([digest]) => digest);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#removing);
  }

  #isOver({ expires_at }: Minted): boolean {
    return expires_at * 1000 <= this.#nowMs();
  }

  #drop(digest: string, { expires_at }: Minted): void {
    this.#tokens.delete(digest);
    this.#revoked.set(digest, expires_at);
    this.#remove(digest);
  }

  #sweep(): void {
    for (const [digest, minted] of this.#tokens) {
      if (!this.#isOver(minted)) continue;
      this.#tokens.delete(digest);
      this.#remove(digest);
    }
    for (const [digest, expiresAt] of this.#revoked)
      if (expiresAt * 1000 <= this.#nowMs()) this.#revoked.delete(digest);
  }

  #remove(name: string): void {
    const removing = rm(join(this.#options.dir, name), { force: true })
      .catch((error: unknown) => this.#options.log.warn(describeError(error), "a token's file stays behind"))
      .finally(() => this.#removing.delete(removing));
    this.#removing.add(removing);
  }

  /** What an earlier run left: live tokens are taken over, everything else is cleared. */
  async #load(): Promise<void> {
    const { dir, knowsParent } = this.#options;
    for (const name of await readdir(dir)) {
      const minted = digestPattern.test(name) ? await this.#read(name) : null;
      if (minted && !this.#isOver(minted) && knowsParent(minted.parent)) this.#tokens.set(name, minted);
      else this.#remove(name);
    }
  }

  async #read(name: string): Promise<Minted | null> {
    try {
      return recordSchema.parse(JSON.parse(await readFile(join(this.#options.dir, name), "utf8")));
    } catch {
      return null;
    }
  }
}
