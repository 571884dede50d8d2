// The portal and its peer, each bundled as `wrangler deploy` would and run under the Miniflare API.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { root } from "../../test/harness/process.ts";

const { compatibility_date: compatibilityDate } = unstable_readConfig({
  config: join(root, "wrangler.toml"),
});

function bundle(entry: string, folder: string): string {
  const wrangler = join(root, "node_modules/wrangler/wrangler-dist/cli.js");
  const words = ["--no-warnings", wrangler, "deploy", entry, "--dry-run", "--outdir", folder];
  const config = entry.startsWith("worker/")
    ? []
    : ["--name", "bare", "--compatibility-date", compatibilityDate ?? "", "--config", "/dev/null"];
  execFileSync(join(root, "node_modules/.bin/node"), [...words, ...config], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
  });
  return readFileSync(join(folder, basename(entry).replace(/\.ts$/, ".js")), "utf8");
}

async function migrate(database: D1, folder: string): Promise<void> {
  for (const name of readdirSync(join(root, folder)).sort()) {
    if (!name.endsWith(".sql")) continue;
    const statements = readFileSync(join(root, folder, name), "utf8").split("--> statement-breakpoint");
    for (const statement of statements) await database.prepare(statement.trim()).run();
  }
}

type D1 = Awaited<ReturnType<Miniflare["getD1Database"]>>;

export interface Plane {
  url: string;
  database: D1;
  stop(): Promise<void>;
}

type FlatOptions = Parameters<typeof convertV4MiniflareOptions>[0];

interface Started extends Plane {
  miniflare: Miniflare;
}

async function start(options: object): Promise<Started> {
  const flat = {
    modules: true,
    compatibilityDate,
    host: "127.0.0.1",
    port: 0,
    cf: false,
    // The portal's log lines are read, as any log is, and not printed over the figures.
    handleStructuredLogs: () => undefined,
    ...options,
  };
  const miniflare = new Miniflare(convertV4MiniflareOptions(flat as unknown as FlatOptions));
  const { origin } = await miniflare.ready;
  return {
    miniflare,
    url: origin,
    database: await miniflare.getD1Database("DB"),
    stop: () => miniflare.dispose(),
  };
}

export async function startBare(): Promise<Plane> {
  const folder = mkdtempSync(join(tmpdir(), "visavis-bare-"));
  try {
    const plane = await start({ script: bundle("bench/portal/bare.ts", folder), d1Databases: ["DB"] });
    await plane.database
      .prepare("CREATE TABLE keys (digest TEXT PRIMARY KEY, account TEXT, note TEXT)")
      .run();
    return plane;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param bindings Variables and secrets beside the defaults. */
export async function startPortal(bindings: Record<string, string> = {}): Promise<Plane> {
  const folder = mkdtempSync(join(tmpdir(), "visavis-portal-"));
  try {
    const plane = await start({
      script: bundle("worker/index.ts", folder),
      d1Databases: ["DB", "LEDGER"],
      r2Buckets: ["MEDIA"],
      kvNamespaces: ["KV"],
      serviceBindings: { ASSETS: () => new Response(null, { status: 404 }) as never },
      bindings: { ENVIRONMENT: "local", ...bindings },
    });
    await migrate(plane.database, "migrations/portal");
    await migrate(await plane.miniflare.getD1Database("LEDGER"), "migrations/ledger");
    return plane;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
