import type { PortalApp } from "../platform/portal.ts";

export function mountInternalVoices(_app: PortalApp): void {}
