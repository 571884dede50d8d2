import type { PortalApp } from "../platform/portal.ts";

export function mountInternalSessions(_app: PortalApp): void {}
