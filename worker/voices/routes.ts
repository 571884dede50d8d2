import type { PortalApp } from "../platform/portal.ts";

export function mountVoices(_app: PortalApp): void {}
