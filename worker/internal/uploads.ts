import type { PortalApp } from "../platform/portal.ts";

export function mountInternalUploads(_app: PortalApp): void {}
