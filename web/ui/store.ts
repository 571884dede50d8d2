// State outside React: logic stays testable without a browser, and components only render it.

import { useSyncExternalStore } from "react";

export class Store<State extends object> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(initial: State) {
    this.#state = initial;
  }

  readonly get = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Replaces some members; listeners hear of it only when one of them differs. */
  protected update(patch: Partial<State>): void {
    const changed = (Object.keys(patch) as (keyof State)[]).some((key) => patch[key] !== this.#state[key]);
    if (!changed) return;
    this.#state = { ...this.#state, ...patch };
    for (const listener of this.#listeners) listener();
  }
}

export function useStore<State extends object>(store: Store<State>): State {
  return useSyncExternalStore(store.subscribe, store.get);
}
