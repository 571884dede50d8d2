// Accounts that turned out not to speak: they are left alone for a while, and their callers are told.

import { createHash } from "node:crypto";
import type { ByoEngine } from "../../contract/voices.ts";
import type { VoiceFault } from "./failure.ts";

/** Keys are replaced and credit is bought; then it is as before without anybody saying so. */
const tryAgainMs = 300_000;
const capacity = 1_000;

export class Troubles {
  readonly #known = new Map<string, { fault: VoiceFault; untilMs: number }>();

  note(provider: ByoEngine, key: string, fault: VoiceFault): void {
    const name = nameOf(provider, key);
    this.#known.delete(name);
    this.#known.set(name, { fault, untilMs: performance.now() + tryAgainMs });
    if (this.#known.size > capacity) this.#known.delete(this.#known.keys().next().value ?? "");
  }

  of(provider: ByoEngine, key: string): VoiceFault | null {
    const trouble = this.#known.get(nameOf(provider, key));
    return trouble && trouble.untilMs > performance.now() ? trouble.fault : null;
  }

  /** It spoke, or listed its voices, or somebody wants to see. */
  forget(provider: ByoEngine, key: string): void {
    this.#known.delete(nameOf(provider, key));
  }
}

/** Holds no key. */
function nameOf(provider: ByoEngine, key: string): string {
  return `${provider}/${createHash("sha256").update(key).digest("hex")}`;
}
