// The portal as `wrangler dev` serves it: real workerd, D1, R2 over S3 and KV, with a state folder of its own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, launch, root, type Running } from "./process.ts";

const node = join(root, "node_modules/.bin/node");
/** The command itself: the one in `.bin` starts it as a child, which would outlive a killed parent. */
const wrangler = join(root, "node_modules/wrangler/wrangler-dist/cli.js");

const quiet = {
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  DO_NOT_TRACK: "1",
  CI: "1",
};

async function finished(running: Running): Promise<void> {
  const code = await new Promise<number | null>((resolve) => {
    running.child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`wrangler ended with ${code}:\n${running.output()}`);
}

export interface PortalProcess extends Running {
  /** Address without a trailing slash. */
  url: string;
}

export interface PortalOptions {
  /** Variables and secrets, as `wrangler secret put` would set them. */
  variables?: Record<string, string>;
  /** SQL that runs on the portal's database before it starts. */
  seed?: string;
}

/** Starts a portal without a box and waits until it answers. `stop` removes its state. */
export async function startPortal({ variables = {}, seed }: PortalOptions = {}): Promise<PortalProcess> {
  const state = mkdtempSync(join(tmpdir(), "visavis-portal-"));
  const database = (name: string, ...words: string[]) =>
    finished(
      launch(
        node,
        ["--no-warnings", wrangler, "d1", ...words, name, "--local", "--persist-to", state].filter(Boolean),
        quiet,
      ),
    );
  await database("DB", "migrations", "apply");
  await database("LEDGER", "migrations", "apply");
  if (seed) {
    const file = join(state, "seed.sql");
    writeFileSync(file, seed);
    await finished(
      launch(
        node,
        [
          "--no-warnings",
          wrangler,
          "d1",
          "execute",
          "DB",
          "--local",
          "--yes",
          "--persist-to",
          state,
          "--file",
          file,
        ],
        quiet,
      ),
    );
  }
  const envFile = join(state, "portal.env");
  const lines = Object.entries({ ENVIRONMENT: "local", ...variables }).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  writeFileSync(envFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  const port = await freePort();
  const flags = {
    ip: "127.0.0.1",
    port,
    "inspector-port": 0,
    "persist-to": state,
    "env-file": envFile,
    "log-level": "info",
    "show-interactive-dev-session": false,
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const running = launch(node, ["--no-warnings", wrangler, "dev", ...args], quiet);
  const portal: PortalProcess = {
    ...running,
    url: `http://localhost:${port}`,
    stop: async () => {
      await running.stop();
      rmSync(state, { recursive: true, force: true });
    },
  };
  try {
    await waitUntilHealthy(portal);
  } catch (error) {
    await portal.stop();
    throw error;
  }
  return portal;
}

async function waitUntilHealthy(portal: PortalProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (portal.child.exitCode !== null) throw new Error(`The portal ended:\n${portal.output()}`);
    try {
      const response = await fetch(`${portal.url}/health`, { signal: AbortSignal.timeout(5000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
  throw new Error(`The portal did not answer in a minute:\n${portal.output()}`);
}
