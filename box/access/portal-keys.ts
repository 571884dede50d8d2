import { secretPattern } from "../../contract/credentials.ts";
import type { LookupAnswer } from "../../contract/internal/boxes.ts";
import { Refusal } from "../failure.ts";
import { digestOf, type Authority, type Caller } from "./caller.ts";

/** A known credential is asked about again after this long; a revocation arrives sooner, with a heartbeat. */
const freshMs = 30_000;
/** An unknown one may have been minted a moment ago. */
const unknownFreshMs = 3_000;
/** How long a credential outlives a portal that does not answer. */
const staleMs = 300_000;
const capacity = 1_000;
const revokedCapacity = 10_000;

interface Entry {
  caller: Caller | null;
  checkedAtMs: number;
}

export interface PortalKeysOptions {
  /** Asks the portal who a digest belongs to. Rejects when the portal does not answer. */
  ask(digest: string): Promise<LookupAnswer["credential"]>;
  nowMs?(): number;
}

/** The keys, tokens and session credentials that the portal issued. */
export class PortalKeys implements Authority {
  readonly #ask: PortalKeysOptions["ask"];
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<Caller | null>>();
  readonly #revoked = new Set<string>();

  constructor({ ask, nowMs = Date.now }: PortalKeysOptions) {
    this.#ask = ask;
    this.#nowMs = nowMs;
  }

  async lookup(secret: string): Promise<Caller | null> {
    // What no portal ever issued is not worth a question.
    if (!secretPattern.test(secret)) return null;
    const digest = digestOf(secret);
    if (this.#revoked.has(digest)) return null;
    const known = this.#entries.get(digest);
    const ageMs = known ? this.#nowMs() - known.checkedAtMs : Infinity;
    if (known && ageMs < (known.caller ? freshMs : unknownFreshMs)) return this.#unexpired(known.caller);
    try {
      return this.#unexpired(await this.#askOnce(digest));
    } catch (error) {
      if (this.#revoked.has(digest)) return null;
      if (known?.caller && ageMs < staleMs) return this.#unexpired(known.caller);
      throw new Refusal("credential_unverified", "The credential could not be checked just now.", {
        headers: { "Retry-After": "5" },
        cause: error,
      });
    }
  }

  isRevoked(digest: string): boolean {
    return this.#revoked.has(digest);
  }

  /** Forgets revoked digests for good. */
  revoke(digests: readonly string[]): void {
    for (const digest of digests) {
      this.#entries.delete(digest);
      this.#revoked.add(digest);
      if (this.#revoked.size > revokedCapacity) this.#revoked.delete(this.#revoked.keys().next().value ?? "");
    }
  }

  #askOnce(digest: string): Promise<Caller | null> {
    const asking = this.#asking.get(digest);
    if (asking) return asking;
    const question = this.#ask(digest)
      .then((credential) => {
        const caller = credential && !this.#revoked.has(digest) ? { ...credential, operator: false } : null;
        this.#remember(digest, caller);
        return caller;
      })
      .finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, question);
    return question;
  }

  #remember(digest: string, caller: Caller | null): void {
    this.#entries.delete(digest);
    this.#entries.set(digest, { caller, checkedAtMs: this.#nowMs() });
    if (this.#entries.size > capacity) this.#entries.delete(this.#entries.keys().next().value ?? "");
  }

  #unexpired(caller: Caller | null): Caller | null {
    return caller?.expires_at && caller.expires_at * 1000 <= this.#nowMs() ? null : caller;
  }
}
