import { expect, test } from "vitest";
import { Access } from "./access.ts";
import { digestOf } from "./caller.ts";
import { PortalKeys } from "./portal-keys.ts";

const secret = `vv_live_${"k".repeat(43)}`;
const digest = digestOf(secret);
const credential = {
  digest,
  kind: "key" as const,
  scope: "full" as const,
  account: "a@example.org",
  expires_at: null,
};

function keys(answer: () => Promise<typeof credential | null>) {
  const clock = { nowMs: 1_000_000, asked: 0 };
  const ask = () => {
    clock.asked++;
    return answer();
  };
  return { clock, keys: new PortalKeys({ ask, nowMs: () => clock.nowMs }) };
}

test("a known credential is asked about once in a while, and once for many at a time", async () => {
  const { clock, keys: portal } = keys(() => Promise.resolve(credential));
  const callers = await Promise.all([portal.lookup(secret), portal.lookup(secret)]);
  expect(callers).toEqual([
    { ...credential, operator: false },
    { ...credential, operator: false },
  ]);
  await portal.lookup(secret);
  expect(clock.asked).toBe(1);
  clock.nowMs += 31_000;
  await portal.lookup(secret);
  expect(clock.asked).toBe(2);
});

test("what no portal issued is not asked about", async () => {
  const { clock, keys: portal } = keys(() => Promise.resolve(credential));
  for (const other of ["", "x", "vv_live_short", `${secret}!`]) expect(await portal.lookup(other)).toBeNull();
  expect(clock.asked).toBe(0);
});

test("an unknown credential is unknown for a moment only", async () => {
  let answer: typeof credential | null = null;
  const { clock, keys: portal } = keys(() => Promise.resolve(answer));
  expect(await portal.lookup(secret)).toBeNull();
  answer = credential;
  expect(await portal.lookup(secret)).toBeNull();
  clock.nowMs += 4_000;
  expect(await portal.lookup(secret)).not.toBeNull();
});

test("a revoked one is gone at once and stays gone, also when an answer is still on its way", async () => {
  const { keys: portal } = keys(() => Promise.resolve(credential));
  expect(await portal.lookup(secret)).not.toBeNull();
  portal.revoke([digest]);
  expect(await portal.lookup(secret)).toBeNull();
  const late = Promise.withResolvers<typeof credential>();
  const { keys: slow } = keys(() => late.promise);
  const looking = slow.lookup(secret);
  slow.revoke([digest]);
  late.resolve(credential);
  expect(await looking).toBeNull();
});

test("a revocation holds while the portal is away, and is known by its digest", async () => {
  const late = Promise.withResolvers<typeof credential>();
  let answer = () => Promise.resolve(credential);
  const { clock, keys: portal } = keys(() => answer());
  await portal.lookup(secret);
  clock.nowMs += 60_000;
  answer = () => late.promise;
  const looking = portal.lookup(secret);
  const access = new Access([{ lookup: () => Promise.resolve(null) }, portal]);
  expect(access.revoked(digest)).toBe(false);
  portal.revoke([digest]);
  late.reject(new Error("down"));
  expect(await looking).toBeNull();
  expect(access.revoked(digest)).toBe(true);
  const caller = { ...credential, operator: false };
  expect(() => access.requireUnrevoked(caller)).toThrow(expect.objectContaining({ code: "invalid_api_key" }));
  expect(() => access.requireUnrevoked({ ...caller, digest: "another" })).not.toThrow();
});

test("expiry counts between two questions", async () => {
  const { clock, keys: portal } = keys(() => Promise.resolve({ ...credential, expires_at: 1_010 as never }));
  expect(await portal.lookup(secret)).not.toBeNull();
  clock.nowMs += 10_000;
  expect(await portal.lookup(secret)).toBeNull();
  expect(clock.asked).toBe(1);
});

test("a portal that is gone: known credentials go on for a while, others are unverified, nobody is denied", async () => {
  let down = false;
  const { clock, keys: portal } = keys(() =>
    down ? Promise.reject(new Error("down")) : Promise.resolve(credential),
  );
  await portal.lookup(secret);
  down = true;
  clock.nowMs += 60_000;
  expect(await portal.lookup(secret)).not.toBeNull();
  const other = `vv_live_${"o".repeat(43)}`;
  await expect(portal.lookup(other)).rejects.toMatchObject({ code: "credential_unverified", status: 503 });
  clock.nowMs += 300_000;
  await expect(portal.lookup(secret)).rejects.toMatchObject({ code: "credential_unverified" });
});
