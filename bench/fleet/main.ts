// `npm run bench fleet`: a thousand boxes send their heartbeats to one portal while people go live through its front door. No lease
// may be lost and no box lent twice, and a heartbeat is answered within a second. Exits 1 when a floor is missed.

import { createHash } from "node:crypto";
import { heartbeatAnswerSchema, type Heartbeat } from "../../contract/internal/boxes.ts";
import { limits } from "../../contract/limits.ts";
import { startPortal, type Plane } from "../portal/planes.ts";
import { describeRow, holds, report, type Row } from "../report.ts";
import { listen, makeBoxes } from "./boxes.ts";
import { nothingSeen, visit, type Caller } from "./callers.ts";

const seconds = Number(process.env.BENCH_SECONDS || 75);
const boxCount = Number(process.env.BENCH_BOXES || 1_000);
/** As many as fit into a variable of a Worker; the others were started by the fleet page. */
const byHand = Math.min(100, boxCount);
/** Who stays all the while, longer than a lease that no heartbeat renews, and who comes and goes. */
const [staying, coming] = [40, 24];

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

const boxes = makeBoxes(boxCount);
const callers = Array.from({ length: staying + coming }, (_, index): Caller => {
  const key = `vv_live_${String(index).padStart(43, "K")}`;
  return { account: `caller-${index}@example.com`, key };
});

async function seed({ database }: Plane): Promise<void> {
  const launches = boxes.slice(byHand).map(({ id, secret }) => ({ id, digest: digestOf(secret) }));
  const keys = callers.map(({ account, key }) => ({ account, digest: digestOf(key), last4: key.slice(-4) }));
  // One statement each: the database is asked over HTTP here.
  await database
    .prepare(
      `INSERT INTO box_launches (box_id, region, secret_digest, started_by, started_at)
       SELECT value ->> 'id', 'au', value ->> 'digest', 'bench', 1 FROM json_each(?)`,
    )
    .bind(JSON.stringify(launches))
    .run();
  await database
    .prepare(
      `INSERT INTO credentials (digest, kind, scope, account, name, last4, created_at)
       SELECT value ->> 'digest', 'key', 'full', value ->> 'account', 'bench', value ->> 'last4', 1 FROM json_each(?)`,
    )
    .bind(JSON.stringify(keys))
    .run();
}

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

const portal = await startPortal({
  BOX_SECRETS: boxes
    .slice(0, byHand)
    .map(({ id, secret }) => `${id}:${secret}`)
    .join(","),
});
const beatMs: number[] = [];
let failedBeats = 0;

async function beat(index: number, publicUrl: string): Promise<void> {
  const box = boxes[index];
  if (!box) return;
  const heartbeat: Heartbeat = {
    public_url: publicUrl,
    region: "au",
    state: box.session ? "busy" : "free",
    session: box.session,
    room: null,
    capacity: 1,
    avatars_warm: [],
    build: { known: true, short_commit: "0123456" },
    uptime_s: 1,
    revocations_seen: 0,
  };
  const startedMs = performance.now();
  try {
    const response = await fetch(`${portal.url}/internal/heartbeat`, {
      method: "POST",
      headers: { Authorization: `Bearer ${box.secret}`, "Content-Type": "application/json" },
      body: JSON.stringify(heartbeat),
      signal: AbortSignal.timeout(30_000),
    });
    heartbeatAnswerSchema.parse(await response.json());
    beatMs.push(performance.now() - startedMs);
  } catch {
    failedBeats += 1;
  }
}

/** A box sends one heartbeat at a time, and one more when something has changed meanwhile, as the real one does. */
function heartbeatsOf(urlOf: (index: number) => string) {
  const under = new Map<number, { again: boolean }>();
  const run = async (index: number): Promise<void> => {
    const running = under.get(index);
    if (running) {
      running.again = true;
      return;
    }
    const mine = { again: false };
    under.set(index, mine);
    do {
      mine.again = false;
      await beat(index, urlOf(index));
    } while (mine.again);
    under.delete(index);
  };
  const timers: NodeJS.Timeout[] = [];
  const everyMs = limits.heartbeatSeconds * 1000;
  const begin = () => {
    for (const index of boxes.keys()) {
      const first = setTimeout(
        () => {
          void run(index);
          timers.push(setInterval(() => void run(index), everyMs));
        },
        (index * everyMs) / boxCount,
      );
      timers.push(first);
    }
  };
  const stop = () => {
    for (const timer of timers) clearTimeout(timer);
  };
  return { run, begin, stop, idle: () => under.size === 0 };
}

const count = async (sql: string): Promise<number> =>
  (await portal.database.prepare(sql).first<{ n: number }>())?.n ?? Number.NaN;

const sleep = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** How many heartbeats a second are answered where there are always some waiting. */
async function sustained(urlOf: (index: number) => string): Promise<number> {
  const [atOnce, lastsMs] = [32, 5_000];
  const [before, startedMs] = [beatMs.length, performance.now()];
  let next = 0;
  const asking = Array.from({ length: atOnce }, async () => {
    while (performance.now() - startedMs < lastsMs) {
      const index = next++ % boxCount;
      await beat(index, urlOf(index));
    }
  });
  await Promise.all(asking);
  return ((beatMs.length - before) * 1000) / (performance.now() - startedMs);
}

const rows: Row[] = [];
try {
  await seed(portal);
  let changed: (index: number) => void = () => undefined;
  const address = await listen(boxes, (index) => changed(index));
  const beats = heartbeatsOf(address.urlOf);
  changed = (index) => void beats.run(index);
  try {
    beats.begin();
    await sleep(limits.heartbeatSeconds * 1000 + 1_000);
    const [settled, missed] = [beatMs.length, failedBeats];
    console.log(`${settled} boxes have said hello, ${missed} could not.`);
    const [stayers, comers] = [nothingSeen(), nothingSeen()];
    const endsMs = performance.now() + seconds * 1000;
    const long = callers
      .slice(0, staying)
      .map((caller) =>
        visit({ portal: portal.url, caller, seen: stayers, staysMs: seconds * 1000, asksEveryMs: 5_000 }),
      );
    const short = callers.slice(staying).map(async (caller) => {
      while (performance.now() < endsMs)
        await visit({
          portal: portal.url,
          caller,
          seen: comers,
          staysMs: 500 + Math.random() * 2_500,
          asksEveryMs: 500,
        });
    });
    // Looked at while the ones who stay are still there.
    await sleep((seconds - 5) * 1000);
    const now = Math.floor(Date.now() / 1000);
    const twice = await count(
      `SELECT count(*) AS n FROM (SELECT lease_account FROM boxes WHERE lease_expires_at > ${now}
         GROUP BY lease_account HAVING count(*) > 1)`,
    );
    const fresh = await count(
      `SELECT count(*) AS n FROM boxes WHERE heartbeat_at >= ${now - limits.heartbeatFreshSeconds}`,
    );
    await Promise.all([...long, ...short]);
    beats.stop();
    while (!beats.idle()) await sleep(50);

    const doubled = boxes.reduce((sum, box) => sum + box.doubled, 0);
    const none = { floor: { atMost: 0 } };
    const answered = beatMs.length;
    console.log(`${answered} heartbeats, ${stayers.opened + comers.opened} sessions.`);
    const latencyMs = beatMs.slice();
    rows.push(
      report({
        name: "heartbeats sustained",
        value: await sustained(address.urlOf),
        unit: "/s",
        floor: { atLeast: Math.ceil(boxCount / limits.heartbeatSeconds) },
      }),
      report({ name: "boxes fresh at the end", value: fresh, unit: "", floor: { atLeast: boxCount } }),
      report({ name: "heartbeat, p50", value: percentile(latencyMs, 0.5), unit: "ms" }),
      report({ name: "heartbeat, p95", value: percentile(latencyMs, 0.95), unit: "ms" }),
      report({
        name: "heartbeat, p99",
        value: percentile(latencyMs, 0.99),
        unit: "ms",
        floor: { atMost: 1_000 },
      }),
      report({ name: "heartbeats that failed", value: failedBeats, unit: `of ${answered}`, ...none }),
      report({ name: "boxes lent twice", value: doubled, unit: "", ...none }),
      report({ name: "accounts with two boxes", value: twice, unit: "", ...none }),
      report({
        name: "sessions that stayed",
        value: stayers.opened,
        unit: "",
        floor: { atLeast: staying },
      }),
      report({ name: "leases lost", value: stayers.astray + comers.astray, unit: "", ...none }),
      report({ name: "requests that failed", value: stayers.failed + comers.failed, unit: "", ...none }),
      report({ name: "times no box was free", value: stayers.full + comers.full, unit: "", ...none }),
      report({
        name: "sessions that came and went",
        value: comers.opened,
        unit: "",
        floor: { atLeast: coming },
      }),
      report({ name: "going live, p99", value: percentile(comers.openMs, 0.99), unit: "ms" }),
    );
  } finally {
    beats.stop();
    await address.close();
  }
} finally {
  await portal.stop();
}
const missed = rows.filter((row) => !holds(row));
if (missed.length > 0) {
  console.error(`Missed:\n${missed.map((row) => `  ${describeRow(row)}`).join("\n")}`);
  process.exitCode = 1;
}
