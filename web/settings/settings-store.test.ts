import { describe, expect, it, vi } from "vitest";
import { defaultSettings, type SettingsRead } from "../../contract/settings.ts";
import { VisavisError } from "../sdk/index.ts";
import { type settingsPortal, SettingsStore } from "./settings-store.ts";
import { modelRow } from "./testing/models.ts";

const models = [modelRow("rehearsal")];
const record: SettingsRead = {
  settings: defaultSettings(models),
  models,
  effort_levels: ["low", "medium"],
  reasoning_levels: ["off"],
  tts_providers: [],
  persisted: true,
};

function portal(overrides: Partial<typeof settingsPortal> = {}) {
  let settings = record.settings;
  return {
    read: vi.fn(async () => ({ ...record, settings })),
    save: vi.fn(async (patch) => {
      settings = { ...settings, ...patch };
      return { saved: true, settings };
    }),
    avatars: vi.fn(async () => []),
    ...overrides,
  } satisfies typeof settingsPortal;
}

async function opened(wired = portal()): Promise<SettingsStore> {
  const store = new SettingsStore(wired);
  await store.load();
  return store;
}

const refusal = (message: string) => new VisavisError({ code: "setting_refused", message, status: 400 });

describe("SettingsStore", () => {
  it("works without the library of avatars", async () => {
    const store = await opened(portal({ avatars: () => Promise.reject(new Error("503")) }));
    expect(store.get()).toMatchObject({ status: "ready", avatars: null });
  });

  it("says why the record cannot be read", async () => {
    const error = new VisavisError({ code: "settings_unavailable", message: "Not now.", status: 503 });
    const store = await opened(portal({ read: () => Promise.reject(error) }));
    expect(store.get()).toMatchObject({ status: "error", error, form: null });
  });

  it("sends only what differs, and takes over what the portal answers", async () => {
    const wired = portal();
    const store = await opened(wired);
    store.edit({ max_tokens: "99" });
    expect(await store.save()).toBe(true);
    expect(wired.save).toHaveBeenCalledExactlyOnceWith({ max_tokens: 99 });
    expect(store.get()).toMatchObject({ outcome: "saved", form: { stored: { max_tokens: 99 } } });
  });

  it("sends nothing when nothing differs", async () => {
    const wired = portal();
    const store = await opened(wired);
    store.edit({ max_tokens: "1024" });
    expect(await store.save()).toBe(true);
    expect(wired.save).not.toHaveBeenCalled();
  });

  it("sends nothing while something is wrong, and forgets the fault when the field is changed", async () => {
    const wired = portal();
    const store = await opened(wired);
    store.edit({ max_tokens: "none", system_prompt: "Hi." });
    expect(await store.save()).toBe(false);
    expect(wired.save).not.toHaveBeenCalled();
    expect(Object.keys(store.get().problems)).toEqual(["max_tokens"]);
    store.edit({ max_tokens: "5" });
    expect(store.get().problems).toEqual({});
  });

  it("tells a save that lasts from one that does not", async () => {
    const save = async () => ({ saved: false, settings: { ...record.settings, max_tokens: 5 } });
    const store = await opened(portal({ save }));
    store.edit({ max_tokens: "5" });
    await store.save();
    expect(store.get().outcome).toBe("not_persisted");
    store.edit({ max_tokens: "6" });
    expect(store.get().outcome).toBeNull();
  });

  it("shows a refusal where it belongs, and keeps what was typed", async () => {
    const save = () => Promise.reject(refusal('"live_model": the model "x" does not exist.'));
    const store = await opened(portal({ save }));
    store.edit({ live_model: "x" });
    expect(await store.save()).toBe(false);
    expect(store.get()).toMatchObject({
      saving: false,
      problems: { live_model: 'The model "x" does not exist.' },
      failure: null,
      form: { draft: { live_model: "x" } },
    });
  });

  it("shows a failure that belongs to no field at the form", async () => {
    const error = new VisavisError({ code: "settings_unavailable", message: "Not now.", status: 503 });
    const store = await opened(portal({ save: () => Promise.reject(error) }));
    store.edit({ max_tokens: "5" });
    expect(await store.save()).toBe(false);
    expect(store.get()).toMatchObject({ failure: "Not now.", problems: {} });
  });

  it("keeps what is typed while a save is under way", async () => {
    const wired = portal();
    const store = await opened(wired);
    store.edit({ max_tokens: "5" });
    const saving = store.save();
    store.edit({ system_prompt: "Typed meanwhile." });
    await saving;
    expect(store.get().form).toMatchObject({
      stored: { max_tokens: 5, system_prompt: record.settings.system_prompt },
      draft: { max_tokens: "5", system_prompt: "Typed meanwhile." },
    });
    await store.save();
    expect(wired.save).toHaveBeenLastCalledWith({ system_prompt: "Typed meanwhile." });
  });

  it("goes back to what is stored", async () => {
    const store = await opened();
    const before = store.get().form?.draft;
    store.edit({ model: "x", max_tokens: "none" });
    await store.save();
    store.revert();
    expect(store.get()).toMatchObject({ problems: {}, failure: null });
    expect(store.get().form?.draft).toEqual(before);
  });
});
