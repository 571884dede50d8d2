// A box alone: no portal, no key, its own state folder.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AvatarList } from "../../contract/avatars.ts";
import { freePort, launch, root, type Running } from "./process.ts";
import { takeStockFaces } from "./stock-faces.ts";

export interface BoxProcess extends Running {
  url: string;
  pid: number;
}

/**
 * Starts `box/main.ts` on a free port and waits until its stock avatars are there with their clips, and nothing is built.
 * @param env Variables beside the defaults.
 */
export async function startBox(env: Record<string, string> = {}): Promise<BoxProcess> {
  const port = await freePort();
  const state = mkdtempSync(join(tmpdir(), "visavis-box-"));
  const keep = await takeStockFaces(state);
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
    await keep?.(true);
  } catch (error) {
    await box.stop();
    await keep?.(false);
    throw error;
  }
  return box;
}

/** What a slow machine takes to prepare them, and more: a hook, which has ten minutes, still hears what went wrong. */
const longestMs = 540_000;

async function waitForAvatars(box: BoxProcess, key = "none"): Promise<void> {
  const deadline = Date.now() + longestMs;
  let last: unknown;
  while (Date.now() < deadline) {
    if (box.child.exitCode !== null || box.child.signalCode !== null)
      throw new Error(`The box ended:\n${lastWords(box)}`);
    try {
      const response = await fetch(`${box.url}/api/avatars`, { headers: { "x-api-key": key } });
      const list = (await response.json()) as Pick<AvatarList, "avatars" | "preparing" | "builds">;
      last = list;
      const atRest = Object.values(list.builds).every((build) => build.finished_at !== null);
      if (list.avatars.length > 0 && list.preparing.length === 0 && atRest) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
  throw new Error(`The box prepared no avatar: ${JSON.stringify(last)}\n${lastWords(box)}`);
}

/** Its last lines, but for the requests that were answered. */
function lastWords(box: BoxProcess): string {
  const lines = box.output().split("\n");
  return lines
    .filter((line) => !line.includes('"msg":"request"'))
    .slice(-30)
    .join("\n");
}
