import type { PortalApp } from "../platform/portal.ts";

export function mountPortraits(_app: PortalApp): void {}
