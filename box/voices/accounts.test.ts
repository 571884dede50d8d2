import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { VoiceAccount } from "../../contract/internal/voices.ts";
import { createLog } from "../ops/log.ts";
import { VoiceAccounts } from "./accounts.ts";

let asked: string[];
let answer: () => Promise<VoiceAccount | null>;
let accounts: VoiceAccounts;

const saved = (key: string): VoiceAccount => ({
  engine: "cartesia",
  default_voice: null,
  keys: [{ provider: "cartesia", key }],
  unreadable: [],
});
const known = () => accounts.known("ada");
const keyOf = () => {
  const copy = known();
  return copy.case === "known" ? copy.account.keys[0]?.key : copy.case;
};

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  answer = () => Promise.resolve(saved("first"));
  accounts = new VoiceAccounts({
    portal: {
      voiceAccount: (account) => {
        asked.push(account);
        return answer();
      },
    },
    log: createLog("silent"),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a copy is good for a minute, and the next is fetched before it is over", async () => {
  expect(keyOf()).toBe("unknown");
  await accounts.refresh("ada");
  expect(keyOf()).toBe("first");
  answer = () => Promise.resolve(saved("second"));
  await vi.advanceTimersByTimeAsync(20_000);
  await accounts.refresh("ada");
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20_000);
  await accounts.refresh("ada");
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.length, keyOf()]).toEqual([2, "second"]);
  await vi.advanceTimersByTimeAsync(70_000);
  answer = () => Promise.resolve(saved("third"));
  await accounts.refresh("ada");
  expect(keyOf()).toBe("third");
});

test("many who ask at once ask the portal once", async () => {
  await Promise.all(Array.from({ length: 9 }, () => accounts.refresh("ada")));
  expect(asked).toEqual(["ada"]);
});

test("a portal that hangs holds nobody up, and is let be for a while once it failed", async () => {
  const hanging = Promise.withResolvers<VoiceAccount | null>();
  answer = () => hanging.promise;
  const refreshed = accounts.refresh("ada");
  await vi.advanceTimersByTimeAsync(1_500);
  await refreshed;
  expect(keyOf()).toBe("unknown");
  hanging.reject(new Error("late"));
  await vi.advanceTimersByTimeAsync(0);
  await accounts.refresh("ada");
  expect(asked).toHaveLength(1);
  answer = () => Promise.resolve(saved("first"));
  await vi.advanceTimersByTimeAsync(5_000);
  await accounts.refresh("ada");
  expect(keyOf()).toBe("first");
});

test("while the portal is gone a copy is good for five minutes, and no longer", async () => {
  await accounts.refresh("ada");
  answer = () => Promise.reject(new Error("gone"));
  await vi.advanceTimersByTimeAsync(240_000);
  await accounts.refresh("ada");
  expect(keyOf()).toBe("first");
  await vi.advanceTimersByTimeAsync(61_000);
  expect(keyOf()).toBe("unknown");
});

test("what is forgotten is not brought back by an answer that was on its way", async () => {
  const late = Promise.withResolvers<VoiceAccount | null>();
  answer = () => late.promise;
  const refreshed = accounts.refresh("ada");
  accounts.forget();
  answer = () => Promise.resolve(saved("new"));
  late.resolve(saved("revoked"));
  // It is asked for once more, so that the turn that waits for it has its voice.
  await refreshed;
  expect([keyOf(), asked.length]).toEqual(["new", 2]);
  accounts.forget("ada");
  expect(keyOf()).toBe("unknown");
});

test("a box alone knows that nobody keeps any, and no number of accounts is kept without end", async () => {
  answer = () => Promise.resolve(null);
  await accounts.refresh("ada");
  expect(keyOf()).toBe("alone");
  for (let index = 0; index < 1_000; index++) await accounts.refresh(`other ${index}`);
  expect(keyOf()).toBe("unknown");
});

test("a revocation in one account leaves what is on its way for the others", async () => {
  const late = Promise.withResolvers<VoiceAccount | null>();
  answer = () => late.promise;
  const refreshed = accounts.refresh("ada");
  accounts.forget("bob");
  late.resolve(saved("first"));
  await refreshed;
  expect([keyOf(), asked]).toEqual(["first", ["ada"]]);
});

test("whoever is forgotten again and again is asked for twice, and a turn waits no longer for it", async () => {
  answer = () => {
    accounts.forget();
    return Promise.resolve(saved("revoked"));
  };
  const never = Promise.withResolvers<VoiceAccount | null>();
  const asking = answer;
  answer = () => (asked.length < 2 ? Promise.resolve().then(asking) : never.promise);
  const refreshed = accounts.refresh("ada");
  await vi.advanceTimersByTimeAsync(1_500);
  await refreshed;
  expect([keyOf(), asked.length]).toEqual(["unknown", 2]);
});

test("keys that are not good any more leave the memory, and the sweep ends with them", async () => {
  await accounts.refresh("ada");
  expect(accounts.size).toBe(1);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(accounts.size).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([accounts.size, vi.getTimerCount()]).toEqual([0, 0]);
  await accounts.refresh("ada");
  expect(vi.getTimerCount()).toBe(1);
  accounts.forget("ada");
  expect(vi.getTimerCount()).toBe(0);
});
