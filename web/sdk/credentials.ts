// Holds the credential in memory, and renews it before it lapses.

import { asVisavisError, clientError, VisavisError } from "./errors.ts";

export interface CredentialGrant {
  secret: string;
  /** Seconds from now; timed against rather than `expires_at`, since the browser's clock may be wrong. */
  expires_in?: number;
}

export type GetCredential = () => Promise<string | CredentialGrant>;

export interface CredentialOptions {
  /** A credential that never changes. */
  credential?: string;
  /** Fetches a credential whenever one is needed. */
  getCredential?: GetCredential;
}

/** A credential is replaced once less than this much of its life is left. */
const renewBeforeMs = 60_000;

export class Credentials {
  readonly #fetch: GetCredential | null;
  #secret: string | null;
  #renewAt = Number.POSITIVE_INFINITY;
  #pending: Promise<string> | null = null;

  constructor({ credential, getCredential }: CredentialOptions) {
    this.#secret = credential ?? null;
    this.#fetch = getCredential ?? null;
  }

  /** Whether a new credential can be had at all. */
  get renewable(): boolean {
    return this.#fetch !== null;
  }

  /** The secret to present, or null against an open box. */
  async get(): Promise<string | null> {
    const fresh = this.#secret !== null && performance.now() < this.#renewAt;
    return fresh || !this.#fetch ? this.#secret : this.renew();
  }

  /** Fetches a fresh credential; callers at the same time share one request. */
  renew(): Promise<string> {
    const fetch = this.#fetch;
    if (!fetch) {
      return Promise.reject(
        clientError("credential_unavailable", "The credential has lapsed; sign in again."),
      );
    }
    this.#pending ??= this.#replace(fetch).finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  /** Milliseconds until a renewal is due; null when the credential has no known end. */
  renewInMs(): number | null {
    return Number.isFinite(this.#renewAt) ? Math.max(0, this.#renewAt - performance.now()) : null;
  }

  async #replace(fetch: GetCredential): Promise<string> {
    let grant: string | CredentialGrant;
    try {
      grant = await fetch();
    } catch (thrown) {
      const cause = asVisavisError(thrown);
      // A network that failed is worth another attempt; an answer of 401 is not, and callers tell by the status.
      throw thrown instanceof VisavisError
        ? thrown
        : new VisavisError({ code: "credential_unavailable", message: cause.message, cause: thrown });
    }
    const secret = typeof grant === "string" ? grant : grant.secret;
    const lifeSeconds = typeof grant === "string" ? undefined : grant.expires_in;
    this.#secret = secret;
    this.#renewAt =
      lifeSeconds === undefined
        ? Number.POSITIVE_INFINITY
        : performance.now() + Math.max(lifeSeconds * 500, lifeSeconds * 1000 - renewBeforeMs);
    return secret;
  }
}
