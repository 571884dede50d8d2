import { describe, expect, it, vi } from "vitest";
import type { ErasureReceipt } from "../../contract/library.ts";
import { VisavisError } from "../sdk/index.ts";
import { ErasureStore, namesAvatar } from "./erasure-store.ts";
import { avatarRecord } from "./testing/records.ts";

const pending: ErasureReceipt = {
  avatar_id: "ada",
  status: "pending",
  erased: ["registry_record", "public_listing", "archived_media"],
  pending: ["prepared_avatar"],
};
const complete: ErasureReceipt = {
  avatar_id: "ada",
  status: "complete",
  erased: [...pending.erased, "prepared_avatar"],
  pending: [],
};

function make() {
  const erase = vi.fn(async () => pending);
  const onErased = vi.fn();
  const store = new ErasureStore({ api: { erase }, onErased });
  store.ask(avatarRecord("ada", { display_name: "Ada  Lovelace" }));
  return { store, erase, onErased };
}

describe("namesAvatar", () => {
  it("takes the name whatever its case and spaces, and nothing else", () => {
    const avatar = { display_name: "Ada  Lovelace" };
    expect(namesAvatar(" ada lovelace ", avatar)).toBe(true);
    expect(namesAvatar("ada", avatar)).toBe(false);
    expect(namesAvatar("", avatar)).toBe(false);
  });
});

describe("ErasureStore", () => {
  it("erases nothing before the name is typed", async () => {
    const { store, erase } = make();
    store.type("Ada");
    await store.erase();
    expect(erase).not.toHaveBeenCalled();
  });

  it("shows the receipt, and repeats while something is pending", async () => {
    const { store, erase, onErased } = make();
    store.type("Ada Lovelace");
    await store.erase();
    expect(onErased).toHaveBeenCalledExactlyOnceWith("ada");
    expect(store.get().phase).toMatchObject({ step: "receipt", receipt: pending });
    erase.mockResolvedValueOnce(complete);
    await store.repeat();
    expect(store.get().phase).toMatchObject({ step: "receipt", receipt: complete });
    await store.repeat();
    expect(erase).toHaveBeenCalledTimes(2);
  });

  it("stays with the question when the portal refuses, and with the receipt when a repeat fails", async () => {
    const { store, erase, onErased } = make();
    const broken = new VisavisError({ code: "internal", message: "Broken.", status: 500 });
    store.type("Ada Lovelace");
    erase.mockRejectedValueOnce(broken);
    await store.erase();
    expect(store.get().phase).toMatchObject({ step: "asking", typed: "Ada Lovelace", problem: "Broken." });
    expect(onErased).not.toHaveBeenCalled();
    await store.erase();
    erase.mockRejectedValueOnce(broken);
    await store.repeat();
    expect(store.get().phase).toMatchObject({ step: "receipt", receipt: pending, problem: "Broken." });
  });

  it("tells the library even when the dialog was closed meanwhile, and opens nothing", async () => {
    const { store, onErased } = make();
    store.type("Ada Lovelace");
    const erasing = store.erase();
    store.close();
    await erasing;
    expect(onErased).toHaveBeenCalledOnce();
    expect(store.get().phase.step).toBe("closed");
  });
});
