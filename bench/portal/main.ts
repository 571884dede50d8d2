// `npm run bench:portal`: a key-authenticated read and write of the portal beside a bare Hono worker that does one SHA-256
// and one D1 statement, both under the Miniflare API, the load sharing the machine. Rounds alternate their order; medians
// count. Exits 1 when the read is slower than 0.7 of the bare one.

import { createHash } from "node:crypto";
import { median, report, holds, type Row } from "../report.ts";
import { burst, type Burst, type Load } from "./load.ts";
import { startBare, startPortal, type Plane } from "./planes.ts";

const rounds = Number(process.env.BENCH_ROUNDS || 5);
const seconds = Number(process.env.BENCH_SECONDS || 4);
const readFloor = 0.7;

const secret = `vv_live_${"B".repeat(43)}`;
const digest = createHash("sha256").update(secret).digest("hex");
const headers = { "X-Api-Key": secret, "Content-Type": "application/json" };
const body = JSON.stringify({ effort: "low" });

async function seed(bare: Plane, portal: Plane): Promise<void> {
  await bare.database.prepare("INSERT INTO keys VALUES (?, 'bench@example.com', '')").bind(digest).run();
  await portal.database
    .prepare(
      `INSERT INTO credentials (digest, kind, scope, account, name, last4, created_at)
       VALUES (?, 'key', 'full', 'bench@example.com', 'bench', 'BBBB', 1)`,
    )
    .bind(digest)
    .run();
}

const bare = await startBare();
const portal = await startPortal();
try {
  await seed(bare, portal);
  const loads: Record<string, Load> = {
    "bare read": { url: `${bare.url}/read`, headers },
    "key check alone": { url: `${portal.url}/v1/public/tones`, headers },
    "settings read": { url: `${portal.url}/auth/settings`, headers },
    "bare write": { url: `${bare.url}/write`, method: "POST", headers, body },
    "settings write": { url: `${portal.url}/auth/settings`, method: "POST", headers, body },
  };
  const bursts = new Map<string, Burst[]>(Object.keys(loads).map((name) => [name, []]));
  for (const load of Object.values(loads)) await burst(load, 1);
  for (let round = 0; round < rounds; round++) {
    const names = Object.keys(loads);
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const load = loads[name];
      if (load) bursts.get(name)?.push(await burst(load, seconds));
    }
  }
  const figure = (name: string, field: keyof Burst) =>
    median((bursts.get(name) ?? []).map((one) => one[field]));
  const ratio = (name: string, peer: string) => {
    const pairs = bursts.get(name)?.map((one, at) => one.rate / (bursts.get(peer)?.[at]?.rate ?? Number.NaN));
    return median(pairs ?? []);
  };
  const rows: Row[] = [];
  for (const name of Object.keys(loads)) {
    rows.push(report({ name: `portal, ${name}`, value: figure(name, "rate"), unit: "requests/s" }));
    console.log(`  p50 ${figure(name, "p50").toFixed(0)} ms, p99 ${figure(name, "p99").toFixed(0)} ms`);
  }
  const unit = "of the bare one";
  rows.push(report({ name: "key check alone", value: ratio("key check alone", "bare read"), unit }));
  rows.push(
    report({
      name: "settings read",
      value: ratio("settings read", "bare read"),
      unit,
      floor: { atLeast: readFloor },
    }),
  );
  rows.push(report({ name: "settings write", value: ratio("settings write", "bare write"), unit }));
  if (!rows.every(holds)) process.exitCode = 1;
} finally {
  await Promise.all([bare.stop(), portal.stop()]);
}
