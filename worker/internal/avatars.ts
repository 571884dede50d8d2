import type { PortalApp } from "../platform/portal.ts";

export function mountInternalAvatars(_app: PortalApp): void {}
