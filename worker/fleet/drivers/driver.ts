import type { LifecycleOrder } from "../../../contract/fleet.ts";

/** Starts and stops the machines that boxes run on. */
export interface LifecycleDriver {
  /** Carries out an order, or hands it on to who will; false when it was not taken. Does not throw. */
  order(order: LifecycleOrder): Promise<boolean>;
}
