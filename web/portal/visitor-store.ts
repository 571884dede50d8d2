// Who is here: somebody signed in, nobody, or nobody any more.

import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { type Me, portal } from "./portal.ts";
import { onSessionExpired } from "./request.ts";

export type Visitor =
  | { state: "unknown" }
  | { state: "unreachable"; error: VisavisError }
  /** `expired` was signed in until a moment ago and did not leave by choice; `left` did. */
  | { state: "guest"; why: "arrived" | "expired" | "left" }
  | ({ state: "member" } & Me);

export interface VisitorState {
  visitor: Visitor;
}

/** Something that runs while a member is here. */
export interface Stay {
  /** The member is about to leave: end what others would notice. They may yet stay, if signing out fails. */
  end(): void | Promise<void>;
  /** The member has left: free the rest. */
  free(): void;
}

export type VisitorPortal = Pick<typeof portal, "me" | "signOut">;

export class VisitorStore extends Store<VisitorState> {
  readonly #portal: VisitorPortal;
  readonly #stays = new Set<Stay>();

  constructor(wired: VisitorPortal = portal) {
    super({ visitor: { state: "unknown" } });
    this.#portal = wired;
  }

  /** Ends the member's stay when any request finds that the portal no longer knows them. */
  readonly watchExpiry = (): (() => void) =>
    onSessionExpired(() => {
      if (this.get().visitor.state !== "member") return;
      void this.#endStays();
      this.#leave("expired");
    });

  readonly look = async (): Promise<void> => {
    try {
      const me = await this.#portal.me();
      const before = this.get().visitor;
      if (me) this.update({ visitor: { state: "member", ...me } });
      else if (before.state !== "guest") this.update({ visitor: { state: "guest", why: "arrived" } });
    } catch (thrown) {
      this.update({ visitor: { state: "unreachable", error: asVisavisError(thrown) } });
    }
  };

  /** Has something end and be freed when the member leaves, by choice or not. Returns a function that forgets it. */
  readonly whileHere = (stay: Stay): (() => void) => {
    this.#stays.add(stay);
    return () => {
      this.#stays.delete(stay);
    };
  };

  /** Rejects with `VisavisError` when the portal could not be told; the member then stays a member. */
  readonly signOut = async (): Promise<void> => {
    await this.#endStays();
    await this.#portal.signOut();
    this.#leave("left");
  };

  async #endStays(): Promise<void> {
    await Promise.allSettled([...this.#stays].map(async (stay) => stay.end()));
  }

  #leave(why: "expired" | "left"): void {
    for (const stay of this.#stays) stay.free();
    this.update({ visitor: { state: "guest", why } });
  }
}
