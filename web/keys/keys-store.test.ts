import { describe, expect, it, vi } from "vitest";
import type { KeyRecord } from "../../contract/credentials.ts";
import { VisavisError } from "../sdk/index.ts";
import { KeysStore, type keysPortal } from "./keys-store.ts";

const record = (id: string, created_at: number, revoked = false): KeyRecord => ({
  id,
  name: `Key ${id}`,
  hint: "vv_live_…abcd",
  last4: "abcd",
  created_at,
  created_by: "ada@example.com",
  revoked,
  revoked_at: revoked ? created_at + 1 : null,
  revoked_by: revoked ? "ada@example.com" : null,
});

const refusal = new VisavisError({ code: "key_limit_reached", message: "You hold 100 keys.", status: 409 });

function portal(keys: KeyRecord[]): typeof keysPortal {
  return {
    list: vi.fn(async () => [...keys]),
    create: vi.fn(async (name: string) => {
      const key = { ...record("new", 99), name };
      keys.push(key);
      return { ...key, secret: "vv_live_secret" };
    }),
    revoke: vi.fn(async (id: string) => {
      const at = keys.findIndex((key) => key.id === id);
      if (at >= 0) keys[at] = record(id, keys[at]!.created_at, true);
    }),
  };
}

describe("KeysStore", () => {
  it("lists keys newest first", async () => {
    const store = new KeysStore(portal([record("old", 1), record("newer", 2)]));
    await store.refresh();
    expect(store.get().keys.map((key) => key.id)).toEqual(["newer", "old"]);
  });

  it("hands the secret over and keeps nothing of it", async () => {
    const store = new KeysStore(portal([record("old", 1)]));
    await store.refresh();
    expect(await store.create("Website")).toBe("vv_live_secret");
    expect(store.get().keys.map((key) => key.id)).toEqual(["new", "old"]);
    expect(JSON.stringify(store.get())).not.toContain("secret");
  });

  it("passes the refusal on and lists what it listed", async () => {
    const wired = portal([record("old", 1)]);
    const store = new KeysStore({ ...wired, create: () => Promise.reject(refusal) });
    await store.refresh();
    await expect(store.create("One more")).rejects.toBe(refusal);
    expect(store.get().keys).toHaveLength(1);
  });

  it("keeps a revoked key in the list, also when another tab was faster", async () => {
    const wired = portal([record("old", 1), record("gone", 2)]);
    const store = new KeysStore(wired);
    await store.refresh();
    await store.revoke("old");
    expect(store.get().keys.find((key) => key.id === "old")?.revoked).toBe(true);

    const missing = new VisavisError({
      code: "key_not_found",
      message: "You have no such key.",
      status: 404,
    });
    const stale = new KeysStore({ ...wired, revoke: () => Promise.reject(missing) });
    await expect(stale.revoke("gone")).rejects.toBe(missing);
    expect(stale.get().keys).toHaveLength(2);
  });

  it("says why there is no list", async () => {
    const broken = new VisavisError({ code: "internal", message: "Something went wrong.", status: 500 });
    const store = new KeysStore({ ...portal([]), list: () => Promise.reject(broken) });
    await store.refresh();
    expect(store.get()).toMatchObject({ status: "error", error: broken });
  });
});
