import type { PortalApp } from "../platform/portal.ts";

export function mountSessions(_app: PortalApp): void {}
