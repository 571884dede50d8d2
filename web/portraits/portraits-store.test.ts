import { describe, expect, it, vi } from "vitest";
import type { Portrait } from "../../contract/portraits.ts";
import { VisavisError } from "../sdk/index.ts";
import { PortraitsStore, shownPortrait } from "./portraits-store.ts";

function portrait(attempt: number, parts: Partial<Portrait> = {}): Portrait {
  return {
    portrait_id: `p${attempt}`,
    persona: "A calm teacher",
    state: "ready",
    attempt,
    parent_id: attempt > 1 ? `p${attempt - 1}` : null,
    sha256: String(attempt).repeat(64),
    image_url: `https://media.test/p${attempt}.png`,
    expires_in: 900,
    created_at: 1,
    approved_at: null,
    ...parts,
  };
}

function make() {
  const api = {
    generate: vi.fn(async (_persona: string) => portrait(1)),
    read: vi.fn(),
    regenerate: vi.fn(async (_id: string) => portrait(2)),
    approve: vi.fn(async (_id: string, _sha256: string) => portrait(1, { approved_at: 9 })),
  };
  const store = new PortraitsStore(api);
  store.describe("  A calm teacher ");
  return { api, store };
}

describe("PortraitsStore", () => {
  it("keeps every attempt, and approves the bytes that are being looked at", async () => {
    const { api, store } = make();
    await store.generate();
    expect(api.generate).toHaveBeenCalledExactlyOnceWith("A calm teacher");
    await store.regenerate();
    expect(store.get().attempts.map(({ portrait_id: id }) => id)).toEqual(["p1", "p2"]);
    expect(shownPortrait(store.get())?.portrait_id).toBe("p2");
    store.show("p1");
    await store.approve();
    expect(api.approve).toHaveBeenCalledExactlyOnceWith("p1", "1".repeat(64));
    expect(shownPortrait(store.get())?.approved_at).toBe(9);
  });

  it("asks for words before it asks the portal, and no more than it takes", async () => {
    const { api, store } = make();
    store.describe(" ");
    await store.generate();
    expect(store.get().problem).toMatch(/Describe/);
    store.describe("x".repeat(2001));
    await store.generate();
    expect(store.get().problem).toMatch(/2,000/);
    expect(api.generate).not.toHaveBeenCalled();
  });

  it("looks again when the portrait changed, and leaves approving to the person", async () => {
    const { api, store } = make();
    await store.generate();
    api.approve.mockRejectedValueOnce(
      new VisavisError({ code: "portrait_changed", message: "Look again.", status: 409 }),
    );
    api.read.mockResolvedValueOnce(portrait(1, { sha256: "f".repeat(64) }));
    await store.approve();
    expect(store.get().problem).toBe("Look again.");
    expect(shownPortrait(store.get())).toMatchObject({ sha256: "f".repeat(64), approved_at: null });
  });

  it("does one thing at a time, and says what went wrong", async () => {
    const { api, store } = make();
    api.generate.mockRejectedValueOnce(
      new VisavisError({ code: "portrait_failed", message: "The generator failed.", status: 502 }),
    );
    const first = store.generate();
    await store.generate();
    await first;
    expect(api.generate).toHaveBeenCalledTimes(1);
    expect(store.get()).toMatchObject({ busy: null, attempts: [], problem: "The generator failed." });
  });

  it("fetches a lapsed picture anew, and does not go on asking for one that is gone", async () => {
    const { api, store } = make();
    await store.generate();
    api.read.mockResolvedValueOnce(portrait(1, { image_url: "https://media.test/fresh.png" }));
    await store.renew("p1");
    expect(shownPortrait(store.get())?.image_url).toMatch(/fresh/);
    api.read.mockRejectedValue(
      new VisavisError({ code: "unknown_portrait", message: "No such portrait.", status: 404 }),
    );
    await store.renew("p1");
    await store.renew("p1");
    expect(api.read).toHaveBeenCalledTimes(2);
    expect(store.get().problem).toBe("No such portrait.");
  });
});
