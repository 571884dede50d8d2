// Starts Visàvis exactly as a user does, with its own ports and state, once for all browser tests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort, launch } from "../harness/process.ts";

declare module "vitest" {
  interface ProvidedContext {
    address: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const state = mkdtempSync(join(tmpdir(), "visavis-planes-"));
  const planes = launch(process.execPath, [".setup/start.mjs"], {
    PORTAL_PORT: String(await freePort()),
    BOX_PORT: String(await freePort()),
    VISAVIS_STATE: state,
    // Eight more tones of every stock face would take the processor from the tests for a long while.
    STOCK_TONES: "off",
    ADMIN_EMAILS: "admin@example.com",
  });
  const line = await planes.line(/^ready http/);
  project.provide("address", line.slice("ready ".length));
  return async () => {
    await planes.stop();
    rmSync(state, { recursive: true, force: true });
  };
}
