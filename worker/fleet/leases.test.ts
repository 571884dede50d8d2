import { expect, test } from "vitest";
import { newCredentialSecret } from "../platform/ids.ts";
import { sha256Hex } from "../platform/digest.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { beat, bindings, db, jsonOf, liveSession, moveClock, post, withKey } from "../testing/portal.ts";

const clients = 50;
const now = () => Math.floor(Date.now() / 1000);

async function makeBoxes(count: number): Promise<string[]> {
  const hosts = Array.from({ length: count }, (_, at) => `box-${at}.test`);
  await db.batch(
    hosts.map((host, at) =>
      db
        .prepare(
          `INSERT INTO boxes (box_id, public_url, region, state, capacity, avatars_warm, build_known,
            build_short_commit, heartbeat_at) VALUES (?, ?, 'au', 'free', 1, '[]', 0, '', ?)`,
        )
        .bind(`box-${at}`, `http://${host}`, now()),
    ),
  );
  return hosts;
}

/** Keys of accounts of their own. */
async function makeKeys(count: number): Promise<string[]> {
  const secrets = Array.from({ length: count }, () => newCredentialSecret("key"));
  const digests = await Promise.all(secrets.map(sha256Hex));
  await db.batch(
    digests.map((digest, at) =>
      db
        .prepare(
          `INSERT INTO credentials (digest, kind, scope, account, name, last4, created_at)
            VALUES (?, 'key', 'full', ?, 'k', 'abcd', ?)`,
        )
        .bind(digest, `client-${at}@example.com`, now()),
    ),
  );
  return secrets;
}

const connect = (secret: string) => post("/connect", { sdp: "v=0" }, withKey(secret));
const hostsOf = async (answers: Response[]) =>
  Promise.all(
    answers.filter(({ ok }) => ok).map(async (answer) => (await jsonOf<{ host: string }>(answer)).host),
  );

test("fifty clients that race for eight boxes get one box each, and no box twice", async () => {
  const hosts = await makeBoxes(8);
  const answers = await Promise.all((await makeKeys(clients)).map(connect));
  expect((await hostsOf(answers)).sort()).toEqual(hosts.sort());
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(clients - hosts.length);
  const { results } = await db
    .prepare("SELECT lease_account FROM boxes WHERE lease_expires_at > ?")
    .bind(now())
    .all<{ lease_account: string }>();
  expect(new Set(results.map((row) => row.lease_account)).size).toBe(hosts.length);
});

test("fifty requests of one client at once hold one box, and its lease is on no second one", async () => {
  await makeBoxes(8);
  const [secret = ""] = await makeKeys(1);
  const answers = await Promise.all(Array.from({ length: clients }, () => connect(secret)));
  const hosts = await hostsOf(answers);
  expect(hosts).toHaveLength(clients);
  expect(new Set(hosts).size).toBe(1);
  const leased = await db
    .prepare("SELECT count(*) AS n FROM boxes WHERE lease_account IS NOT NULL")
    .first("n");
  expect(leased).toBe(1);
});

test("boxes that come free one by one are shared out without a collision", async () => {
  const hosts = await makeBoxes(3);
  const secrets = await makeKeys(12);
  const served = new Map<string, number>();
  for (let round = 0; round < 4; round++) {
    const waiting = secrets.filter((secret) => !served.has(secret));
    const answers = await Promise.all(waiting.map(connect));
    const winners = waiting.filter((_secret, at) => answers[at]?.ok);
    expect((await hostsOf(answers)).sort()).toEqual(hosts.sort());
    for (const secret of winners) served.set(secret, round);
    // No session came of them: their leases run out, while the boxes go on being heard of.
    moveClock(60);
    await db.prepare("UPDATE boxes SET heartbeat_at = ?").bind(now()).run();
  }
  expect(served.size).toBe(secrets.length);
});

test("the clean-up takes the holder's name off a lease that ran out a day ago, and off no other", async () => {
  await beat("box-a", liveSession("ann@example.com"));
  await beat("box-a");
  moveClock(24 * 3600 - 60);
  await beat("box-a");
  const holder = () => db.prepare("SELECT lease_account FROM boxes").first("lease_account");
  await cleanUp(envOf(bindings));
  expect(await holder()).toBe("ann@example.com");
  moveClock(120);
  await beat("box-a");
  await cleanUp(envOf(bindings));
  expect(await holder()).toBeNull();
});
