import type { PortalApp } from "../platform/portal.ts";

export function mountConsents(_app: PortalApp): void {}
