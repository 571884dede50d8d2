// A box alone: no portal, no key, its own state folder.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, launch, root, type Running } from "./process.ts";

export interface BoxProcess extends Running {
  url: string;
  pid: number;
}

/**
 * Starts `box/main.ts` on a free port and waits until its stock avatars are ready.
 * @param env Variables beside the defaults.
 */
export async function startBox(env: Record<string, string> = {}): Promise<BoxProcess> {
  const port = await freePort();
  const state = mkdtempSync(join(tmpdir(), "visavis-box-"));
  const running = launch(join(root, "node_modules/.bin/node"), ["box/main.ts"], {
    BOX_HOST: "127.0.0.1",
    BOX_PORT: String(port),
    VISAVIS_STATE: state,
    PORTAL_URL: "",
    STOCK_TONES: "off",
    ...env,
  });
  const url = `http://127.0.0.1:${port}`;
  const box: BoxProcess = {
    ...running,
    url,
    pid: running.child.pid ?? 0,
    stop: async () => {
      await running.stop();
      rmSync(state, { recursive: true, force: true });
    },
  };
  try {
    await waitForAvatars(box, env.SERVICE_API_KEYS?.split(",")[0]);
  } catch (error) {
    await box.stop();
    throw error;
  }
  return box;
}

async function waitForAvatars(box: BoxProcess, key = "none"): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (box.child.exitCode !== null) throw new Error(`The box ended:\n${box.output()}`);
    try {
      const response = await fetch(`${box.url}/api/avatars`, { headers: { "x-api-key": key } });
      const list = (await response.json()) as { avatars: string[]; preparing: string[] };
      if (list.avatars.length > 0 && list.preparing.length === 0) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error(`The box prepared no avatar in a minute:\n${box.output()}`);
}
