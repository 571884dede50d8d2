import type { PortalApp } from "../platform/portal.ts";

export function mountUploads(_app: PortalApp): void {}
