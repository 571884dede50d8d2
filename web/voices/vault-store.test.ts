import { describe, expect, it, vi } from "vitest";
import type { VoiceSettings } from "../../contract/voices.ts";
import { VisavisError } from "../sdk/index.ts";
import { vaultSettings } from "./testing/records.ts";
import { VaultStore } from "./vault-store.ts";

const refusal = (code: string, status: number) =>
  new VisavisError({ code, message: `Said ${code}.`, status });
const secret = "sk_car_0123456789";
const saved: VoiceSettings = vaultSettings({
  keys: [
    {
      provider: "cartesia",
      last4: "6789",
      masked: "sk_…6789",
      created_at: 1,
      updated_at: 1,
      validated: true,
      validated_at: 1,
    },
  ],
});

async function make() {
  const api = {
    settings: vi.fn(async () => vaultSettings()),
    saveKey: vi.fn(async (_provider: string, _key: string) => saved),
    removeKey: vi.fn(async () => vaultSettings()),
    chooseEngine: vi.fn(async () => vaultSettings({ engine: "cartesia" })),
  };
  const onVoicesChanged = vi.fn();
  const store = new VaultStore({ api, onVoicesChanged });
  const seen: string[] = [];
  store.subscribe(() => seen.push(JSON.stringify(store.get())));
  await store.load();
  return { api, onVoicesChanged, store, seen };
}

describe("keys", () => {
  it("hands a key on and never holds it", async () => {
    const { api, store, seen, onVoicesChanged } = await make();
    expect(await store.saveKey("cartesia", ` ${secret}\n`)).toBe(true);
    expect(api.saveKey).toHaveBeenCalledExactlyOnceWith("cartesia", secret);
    expect(store.get().settings).toEqual(saved);
    expect(onVoicesChanged).toHaveBeenCalledOnce();
    expect(seen.length).toBeGreaterThan(0);
    for (const state of seen) expect(state).not.toContain(secret);
  });

  it("says at the field that the provider rejected the key, and keeps the form", async () => {
    const { api, store } = await make();
    api.saveKey.mockRejectedValueOnce(refusal("key_rejected", 400));
    expect(await store.saveKey("cartesia", secret)).toBe(false);
    expect(store.get().keys.cartesia).toEqual({ step: "idle", problem: "Said key_rejected." });
    expect(store.get().keys.elevenlabs.problem).toBeNull();
    expect(store.get().settings).toEqual(vaultSettings());
  });

  it("asks nothing of the portal for an empty field", async () => {
    const { api, store } = await make();
    expect(await store.saveKey("cartesia", "  ")).toBe(false);
    expect(api.saveKey).not.toHaveBeenCalled();
    expect(store.get().keys.cartesia.problem).not.toBeNull();
  });

  it("removes a key, and leaves it when the portal refuses", async () => {
    const { api, store } = await make();
    await store.saveKey("cartesia", secret);
    api.removeKey.mockRejectedValueOnce(refusal("vault_unavailable", 503));
    expect(await store.removeKey("cartesia")).toBe(false);
    expect(store.get().settings).toEqual(saved);
    expect(await store.removeKey("cartesia")).toBe(true);
    expect(store.get().settings?.keys).toEqual([]);
  });
});

describe("the engine", () => {
  it("is shown as chosen at once, and set back when a key is needed first", async () => {
    const { api, store, onVoicesChanged } = await make();
    api.chooseEngine.mockRejectedValueOnce(refusal("voice_key_required", 409));
    const choosing = store.chooseEngine("cartesia");
    expect(store.get()).toMatchObject({ choosing: "cartesia", settings: { engine: "cartesia" } });
    await choosing;
    expect(store.get()).toMatchObject({
      choosing: null,
      settings: { engine: "local" },
      engineProblem: { engine: "cartesia", keyRequired: true, message: "Said voice_key_required." },
    });
    expect(onVoicesChanged).not.toHaveBeenCalled();
  });

  it("stays chosen when the portal agrees, and the catalogue hears of it", async () => {
    const { store, onVoicesChanged } = await make();
    await store.chooseEngine("cartesia");
    expect(store.get().settings?.engine).toBe("cartesia");
    expect(onVoicesChanged).toHaveBeenCalledOnce();
  });

  it("that is chosen already asks nothing", async () => {
    const { api, store } = await make();
    await store.chooseEngine("local");
    expect(api.chooseEngine).not.toHaveBeenCalled();
  });
});
