import type { LifecycleOrder } from "../../../contract/fleet.ts";

/**
 * What became of an order: it was taken, it was refused and nothing came of it, or nobody knows, since no answer to it
 * arrived.
 */
export type OrderOutcome = "taken" | "refused" | "unanswered";

/** Starts and stops the machines that boxes run on. */
export interface LifecycleDriver {
  /** Carries out an order, or hands it on to who will. Does not throw. */
  order(order: LifecycleOrder): Promise<OrderOutcome>;
}
