import type { LifecycleDriver } from "./driver.ts";

/** For boxes that people start and stop by hand: no order is taken. */
export const noDriver: LifecycleDriver = { order: async () => "refused" };
