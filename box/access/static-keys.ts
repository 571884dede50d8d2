import { timingSafeEqual } from "node:crypto";
import { digestOf, type Authority, type Caller } from "./caller.ts";

/** The keys of `SERVICE_API_KEYS`: full, never expiring, each an account of its own. */
export class StaticKeys implements Authority {
  readonly #callers: { digest: Buffer; caller: Caller }[];

  constructor(keys: readonly string[]) {
    this.#callers = keys.map((key) => {
      const digest = digestOf(key);
      const account = `static:${digest.slice(0, 12)}`;
      return {
        digest: Buffer.from(digest, "hex"),
        caller: { account, scope: "full", kind: "static", digest, operator: true, expires_at: null },
      };
    });
  }

  lookup(secret: string): Promise<Caller | null> {
    const digest = Buffer.from(digestOf(secret), "hex");
    let found: Caller | null = null;
    // Every key is compared, so that the time taken tells nothing about which one matched.
    for (const key of this.#callers) if (timingSafeEqual(key.digest, digest)) found = key.caller;
    return Promise.resolve(found);
  }
}
