import type { LifecycleSettings } from "../../platform/env.ts";
import type { LifecycleDriver } from "./driver.ts";
import { noDriver } from "./none.ts";
import { createWebhookDriver } from "./webhook.ts";

/** The driver that the configuration names. */
export function driverOf(settings: LifecycleSettings): LifecycleDriver {
  switch (settings.kind) {
    case "none":
      return noDriver;
    case "webhook":
      return createWebhookDriver(settings);
  }
}
