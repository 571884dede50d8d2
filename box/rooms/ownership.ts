// While a room is live, only the account that joined it and the box's operator may end or drive it.

import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import type { Slot } from "../live/slot.ts";

/** The six routes that end or drive what is live, and the one that goes live with a sound file. */
const drivingRoutes = new Set([
  "POST /rtc/leave",
  "POST /livekit/leave",
  "POST /disconnect",
  "POST /connect",
  "POST /offer",
  "POST /api/avatar/delete",
  "POST /api/chat",
]);

export class Ownership {
  readonly #slot: Pick<Slot, "current">;

  constructor(slot: Pick<Slot, "current">) {
    this.#slot = slot;
  }

  /** Whether a room is live. */
  get live(): boolean {
    return this.#slot.current?.room != null;
  }

  owns({ account, operator }: Pick<Caller, "account" | "operator">): boolean {
    const current = this.#slot.current;
    return !current?.room || operator || current.account === account;
  }

  /** Throws Refusal `rtc_not_owner`. */
  require(caller: Pick<Caller, "account" | "operator">): void {
    if (!this.owns(caller)) throw notOwner();
  }

  /** Who a caller speaks as: an operator in somebody's room speaks for whoever joined it. Throws Refusal `rtc_not_owner`. */
  driver(caller: Caller): Caller {
    this.require(caller);
    const current = this.#slot.current;
    return current?.room && caller.operator ? { ...caller, account: current.account } : caller;
  }

  /** What a caller who could not be looked up is told on a route: that of a live room's owner, where the route drives it. */
  unverified(error: unknown, method: string, path: string): unknown {
    const unknown = error instanceof Refusal && error.code === "credential_unverified";
    if (!unknown || !this.live || !drivingRoutes.has(`${method} ${path}`)) return error;
    return new Refusal(
      "rtc_owner_unverified",
      "Whose room is live could not be checked; nothing was ended. Try again shortly.",
      { headers: { "Retry-After": "5" }, cause: error },
    );
  }
}

export function notOwner(): Refusal {
  return new Refusal("rtc_not_owner", "The live room belongs to another account.");
}
