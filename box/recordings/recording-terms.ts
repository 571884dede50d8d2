// Whether a person agreed to what there is to agree to.

import { Refusal } from "../failure.ts";
import type { Portal } from "../portal/portal.ts";

/** A copy this young will do; terms change once in years. */
const freshMs = 60_000;

export interface AgreedTerms {
  terms_version: string;
  terms_digest: string;
  /** Epoch seconds. */
  agreed_at: number;
}

export class RecordingTerms {
  readonly #allowed: boolean;
  readonly #portal: Pick<Portal, "recordingTerms">;
  #copy: { version: string; digest: string; atMs: number } | null = null;

  constructor({ allowed, portal }: { allowed: boolean; portal: Pick<Portal, "recordingTerms"> }) {
    this.#allowed = allowed;
    this.#portal = portal;
  }

  /** Rejects with Refusal: `feature_disabled`, `recordings_unavailable` or `terms_outdated`. */
  async agree(asked: { terms_version: string; terms_digest: string }): Promise<AgreedTerms> {
    if (!this.#allowed) throw new Refusal("feature_disabled", "This box does not record sessions.");
    const names = ({ version, digest }: { version: string; digest: string }) =>
      version === asked.terms_version && digest === asked.terms_digest;
    const copy = this.#copy;
    const known = copy && performance.now() - copy.atMs < freshMs && names(copy);
    if (!known && !names(await this.#fetch()))
      throw new Refusal(
        "terms_outdated",
        "The recording terms have changed; the person has to agree to the new ones.",
      );
    return { ...asked, agreed_at: Math.floor(Date.now() / 1000) };
  }

  async #fetch(): Promise<{ version: string; digest: string }> {
    const unavailable = (cause?: unknown) =>
      new Refusal("recordings_unavailable", "Sessions cannot be recorded just now.", { cause });
    const terms = await this.#portal.recordingTerms().catch((error: unknown) => {
      throw unavailable(error);
    });
    if (!terms) throw unavailable();
    this.#copy = { ...terms, atMs: performance.now() };
    return terms;
  }
}
