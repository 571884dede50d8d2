// A reply begun before it is sure that it is wanted.

import type { Delivery } from "./delivery.ts";
import type { PreparedMessage, Speculation, TurnObserver, TurnResult } from "./turn.ts";

export interface SpeculationOptions {
  prepared: PreparedMessage;
  delivery: Delivery;
  /** Makes the reply that was held the account's turn. */
  perform(delivery: Delivery, observer: TurnObserver | undefined): Promise<TurnResult>;
  /** The same message as a turn of its own. */
  afresh(observer: TurnObserver | undefined): Promise<TurnResult>;
  /** Another turn of the account runs, which the held reply knows nothing of. */
  isOutdated(): boolean;
  /** It waits no longer. */
  onSettled(): void;
}

export class SpeculativeReply implements Speculation {
  readonly prepared: PreparedMessage;
  readonly #options: SpeculationOptions;
  #committed: Promise<TurnResult> | null = null;
  #dropped = false;

  constructor(options: SpeculationOptions) {
    this.#options = options;
    this.prepared = options.prepared;
    options.delivery.make();
  }

  /** One that came to nothing, is out of date, or was dropped by an interrupt meanwhile is made anew. */
  commit(observer?: TurnObserver): Promise<TurnResult> {
    if (this.#committed) return this.#committed;
    const { delivery, perform, afresh, isOutdated, onSettled } = this.#options;
    onSettled();
    const usable = !this.#dropped && !delivery.spoiled && !isOutdated();
    if (!usable) delivery.interrupt();
    this.#committed = usable ? perform(delivery, observer) : afresh(observer);
    return this.#committed;
  }

  drop(): void {
    if (this.#committed || this.#dropped) return;
    this.#dropped = true;
    this.#options.onSettled();
    this.#options.delivery.interrupt();
  }
}
