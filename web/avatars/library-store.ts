// The library of the signed-in person, and what others have published.

import type { LibraryAvatar, PublicAvatar } from "../../contract/library.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { AvatarsApi } from "./avatars-api.ts";

/** Preparing takes seconds; the record follows what a box reports. */
const pollMs = 3000;
/** How often to look for a face that a box has accepted and not reported yet. */
const expectedTries = 10;

export interface Listing<Row> {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  rows: readonly Row[];
}

export interface LibraryState {
  own: Listing<LibraryAvatar>;
  published: Listing<PublicAvatar>;
  /** Ids that a box has accepted and the library does not list yet. */
  expected: readonly string[];
}

const nothingYet: Listing<never> = { status: "loading", error: null, rows: [] };

/** A listing that is there already stays when a later read fails. */
function afterFailure<Row>(before: Listing<Row>, thrown: unknown): Listing<Row> {
  const error = asVisavisError(thrown);
  return before.status === "ready" ? before : { ...before, status: "error", error };
}

export class LibraryStore extends Store<LibraryState> {
  readonly #api: Pick<AvatarsApi, "own" | "published">;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watching = false;
  readonly #triesLeft = new Map<string, number>();

  constructor(api: Pick<AvatarsApi, "own" | "published">) {
    super({ own: nothingYet, published: nothingYet, expected: [] });
    this.#api = api;
  }

  /** Reads both lists, and goes on reading the own one while a face in it is being prepared. */
  readonly watch = (): (() => void) => {
    this.#watching = true;
    void this.refresh();
    void this.refreshPublished();
    return () => {
      this.#watching = false;
      clearTimeout(this.#timer);
    };
  };

  readonly refresh = async (): Promise<void> => {
    clearTimeout(this.#timer);
    try {
      const rows = await this.#api.own();
      for (const [id, left] of this.#triesLeft) {
        if (left === 0 || rows.some((row) => row.avatar_id === id)) this.#triesLeft.delete(id);
        else this.#triesLeft.set(id, left - 1);
      }
      this.update({ own: { status: "ready", error: null, rows }, expected: [...this.#triesLeft.keys()] });
    } catch (thrown) {
      this.update({ own: afterFailure(this.get().own, thrown) });
    }
    const preparing = this.get().own.rows.some(({ state }) => state === "preparing");
    if (this.#watching && (preparing || this.#triesLeft.size > 0))
      this.#timer = setTimeout(() => void this.refresh(), pollMs);
  };

  readonly refreshPublished = async (): Promise<void> => {
    try {
      this.update({ published: { status: "ready", error: null, rows: await this.#api.published() } });
    } catch (thrown) {
      this.update({ published: afterFailure(this.get().published, thrown) });
    }
  };

  /** A box has accepted a face: it is looked for until the box has reported it. */
  readonly expect = (id: string): void => {
    this.#triesLeft.set(id, expectedTries);
    this.update({ expected: [...this.#triesLeft.keys()] });
    void this.refresh();
  };

  /** Shows a record as the portal just answered it, or as it is expected to be in a moment. */
  readonly adopt = (avatar: LibraryAvatar): void => {
    const { own, published } = this.get();
    const rows = own.rows.map((row) => (row.avatar_id === avatar.avatar_id ? avatar : row));
    const others = published.rows.filter((row) => !(row.mine && row.avatar_id === avatar.avatar_id));
    const listed = avatar.visibility === "public" ? [{ ...avatar, mine: true }, ...others] : others;
    this.update({ own: { ...own, rows }, published: { ...published, rows: listed } });
  };

  readonly forget = (id: string): void => {
    const { own, published } = this.get();
    this.update({
      own: { ...own, rows: own.rows.filter((row) => row.avatar_id !== id) },
      published: {
        ...published,
        rows: published.rows.filter((row) => !(row.mine && row.avatar_id === id)),
      },
    });
  };
}

/** Whether a face became ready so lately that its box may still be archiving the pictures. */
export function justReady({ state, updated_at: updatedAt }: LibraryAvatar): boolean {
  return state === "ready" && Date.now() / 1000 - updatedAt < 60;
}

/** An avatar by its id: the caller's own record before anybody's published one. */
export function findAvatar(
  { own, published }: LibraryState,
  id: string,
): { avatar: LibraryAvatar; mine: boolean } | null {
  const mine = own.rows.find((row) => row.avatar_id === id);
  if (mine) return { avatar: mine, mine: true };
  const other = published.rows.find((row) => row.avatar_id === id);
  return other ? { avatar: other, mine: other.mine } : null;
}
