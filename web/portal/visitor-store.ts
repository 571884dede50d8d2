// Who is here: somebody signed in, nobody, or nobody any more.

import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { type Me, portal } from "./portal.ts";
import { onSessionExpired } from "./request.ts";

export type Visitor =
  | { state: "unknown" }
  | { state: "unreachable"; error: VisavisError }
  /** `expired`: was signed in until a moment ago, and did not leave by choice. */
  | { state: "guest"; expired: boolean }
  | ({ state: "member" } & Me);

export interface VisitorState {
  visitor: Visitor;
}

export type VisitorPortal = Pick<typeof portal, "me" | "signOut">;

export class VisitorStore extends Store<VisitorState> {
  readonly #portal: VisitorPortal;
  readonly #leaving = new Set<() => void | Promise<void>>();

  constructor(wired: VisitorPortal = portal) {
    super({ visitor: { state: "unknown" } });
    this.#portal = wired;
  }

  /** Ends the member's stay when any request finds that the portal no longer knows them. */
  readonly watchExpiry = (): (() => void) =>
    onSessionExpired(() => {
      if (this.get().visitor.state !== "member") return;
      void this.#leave();
      this.update({ visitor: { state: "guest", expired: true } });
    });

  readonly look = async (): Promise<void> => {
    try {
      const me = await this.#portal.me();
      const before = this.get().visitor;
      if (me) this.update({ visitor: { state: "member", ...me } });
      else if (before.state !== "guest") this.update({ visitor: { state: "guest", expired: false } });
    } catch (thrown) {
      this.update({ visitor: { state: "unreachable", error: asVisavisError(thrown) } });
    }
  };

  /** Runs when the member leaves, by choice or not; while signing out by choice, before the portal is told. */
  readonly beforeLeaving = (work: () => void | Promise<void>): (() => void) => {
    this.#leaving.add(work);
    return () => {
      this.#leaving.delete(work);
    };
  };

  /** Rejects with `VisavisError` when the portal could not be told; the member then stays a member. */
  readonly signOut = async (): Promise<void> => {
    await this.#leave();
    await this.#portal.signOut();
    this.update({ visitor: { state: "guest", expired: false } });
  };

  async #leave(): Promise<void> {
    await Promise.allSettled([...this.#leaving].map(async (work) => work()));
  }
}
