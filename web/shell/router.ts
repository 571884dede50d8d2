// Where the person is in the console: the address bar, as state. A page with unsaved work may hold a navigation back.

import { Store } from "../ui/store.ts";

export interface RouterState {
  path: string;
  /** A navigation that waits for the person's word, because the page has unsaved work. */
  held: Held | null;
}

export type Held = { kind: "push"; path: string } | { kind: "history"; delta: number };

/** What the router needs of a window. */
export interface RouterWindow {
  location: { pathname: string };
  history: Pick<History, "pushState" | "replaceState" | "go" | "state">;
  addEventListener(type: "popstate", listener: () => void): void;
  removeEventListener(type: "popstate", listener: () => void): void;
}

interface Entry {
  /** Counts the entries of this tab, so that a step in history has a direction and a length. */
  index: number;
}

export class Router extends Store<RouterState> {
  readonly #window: RouterWindow;
  #index: number;
  #guarded = false;
  /** The next `popstate` is our own: the way back to where a held navigation started, or on to where it led. */
  #ownStep: "return" | "proceed" | null = null;
  #focusPending = false;

  constructor(window: RouterWindow) {
    super({ path: window.location.pathname, held: null });
    this.#window = window;
    const entry = window.history.state as Partial<Entry> | null;
    this.#index = entry?.index ?? 0;
    if (entry?.index === undefined) window.history.replaceState({ index: 0 } satisfies Entry, "");
  }

  /** Follows the browser's back and forward buttons until the returned function is called. */
  readonly listen = (): (() => void) => {
    this.#window.addEventListener("popstate", this.#onPopState);
    return () => this.#window.removeEventListener("popstate", this.#onPopState);
  };

  readonly navigate = (path: string): void => {
    if (path === this.get().path) return;
    if (this.#guarded) this.update({ held: { kind: "push", path } });
    else this.#push(path);
  };

  /** Changes the address without a new entry, as when `/` turns out to be a page with a name. */
  readonly replace = (path: string): void => {
    this.#window.history.replaceState({ index: this.#index } satisfies Entry, "", path);
    this.update({ path });
  };

  /** While guarded, a navigation is held until `proceed` or `stay`. */
  readonly setGuarded = (guarded: boolean): void => {
    this.#guarded = guarded;
  };

  readonly proceed = (): void => {
    const { held } = this.get();
    if (!held) return;
    this.#guarded = false;
    this.update({ held: null });
    if (held.kind === "push") {
      this.#push(held.path);
      return;
    }
    this.#ownStep = "proceed";
    this.#window.history.go(held.delta);
  };

  readonly stay = (): void => this.update({ held: null });

  /** True once after each navigation: whoever shows the page's heading then moves the focus there. */
  readonly takeFocus = (): boolean => {
    const pending = this.#focusPending;
    this.#focusPending = false;
    return pending;
  };

  #push(path: string): void {
    this.#index += 1;
    this.#window.history.pushState({ index: this.#index } satisfies Entry, "", path);
    this.#arrive();
  }

  #arrive(): void {
    this.#focusPending = true;
    this.update({ path: this.#window.location.pathname });
  }

  readonly #onPopState = (): void => {
    const { pathname } = this.#window.location;
    const index = (this.#window.history.state as Partial<Entry> | null)?.index;
    const own = this.#ownStep;
    this.#ownStep = null;
    if (own === "return") return;
    if (index === undefined) {
      // A link to a place on the same page: the browser made the entry, so it is numbered only now.
      this.#index += 1;
      this.#window.history.replaceState({ index: this.#index } satisfies Entry, "");
      return;
    }
    const delta = index - this.#index;
    if (this.#guarded && own !== "proceed" && pathname !== this.get().path) {
      // The browser has moved already: go back at once, and ask there.
      this.#ownStep = "return";
      this.#window.history.go(-delta);
      this.update({ held: { kind: "history", delta } });
      return;
    }
    this.#index = index;
    if (pathname !== this.get().path) this.#arrive();
  };
}
