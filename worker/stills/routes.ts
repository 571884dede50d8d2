import type { PortalApp } from "../platform/portal.ts";

export function mountStills(_app: PortalApp): void {}
