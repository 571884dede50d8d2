import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import { createLog } from "../ops/log.ts";
import { CredentialWatch } from "./credential-watch.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const caller = (account: string, livesSeconds: number | null): Caller => ({
  account,
  scope: "tts",
  kind: "token",
  digest: `${account} ${livesSeconds}`,
  operator: false,
  expires_at: livesSeconds === null ? null : Date.now() / 1000 + livesSeconds,
});

function watch(livesSeconds: number | null, identify: (secret: string) => Promise<Caller | null>) {
  let lapses = 0;
  const watching = new CredentialWatch({
    caller: caller("ada", livesSeconds),
    access: { identify, revoked: (digest) => digest.startsWith("revoked") },
    log: createLog("silent"),
    onLapsed: () => lapses++,
  });
  return { watching, lapses: () => lapses };
}

const nobody = () => Promise.resolve(null);

test("a credential lapses when it does, however long it lives", () => {
  for (const seconds of [1, 10, 90 * 86_400]) {
    const { watching, lapses } = watch(seconds, nobody);
    vi.advanceTimersByTime(seconds * 1000 - 1);
    expect(lapses()).toBe(0);
    vi.advanceTimersByTime(2);
    expect(lapses()).toBe(1);
    vi.advanceTimersByTime(365 * 86_400_000);
    expect(lapses()).toBe(1);
    watching.close();
  }
  const forever = watch(null, nobody);
  expect(vi.getTimerCount()).toBe(0);
  forever.watching.close();
});

test("a fresh one of the same account replaces it; anything else changes nothing", async () => {
  const { watching, lapses } = watch(10, (secret) => {
    if (secret === "unverified") throw new Refusal("credential_unverified", "The portal is away.");
    if (secret === "broken") throw new Error("Broken.");
    return Promise.resolve(secret === "nobody" ? null : caller(secret, 100));
  });
  for (const secret of ["nobody", "bob", "unverified", "broken"])
    expect(await watching.renew(secret)).toBe(false);
  expect(watching.caller.digest).toBe("ada 10");
  expect(await watching.renew("ada")).toBe(true);
  expect(watching.caller.digest).toBe("ada 100");
  vi.advanceTimersByTime(99_000);
  expect(lapses()).toBe(0);
  vi.advanceTimersByTime(1_001);
  expect(lapses()).toBe(1);
  watching.close();
  expect(await watching.renew("ada")).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test("of two in flight the one sent last stands, whichever is looked up first, and each has its answer", async () => {
  const lookups: PromiseWithResolvers<Caller | null>[] = [];
  const { watching } = watch(null, () => {
    const lookup = Promise.withResolvers<Caller | null>();
    lookups.push(lookup);
    return lookup.promise;
  });
  const answered: string[] = [];
  const renewals = ["older", "none", "newer"].map(async (name) => {
    answered.push(`${name} ${await watching.renew(name)}`);
  });
  lookups[2]?.resolve(caller("ada", 20));
  lookups[1]?.resolve(null);
  lookups[0]?.resolve(caller("ada", 10));
  await Promise.all(renewals);
  expect(watching.caller.digest).toBe("ada 20");
  expect(answered).toEqual(["older true", "none false", "newer true"]);
  watching.close();
});
