import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import { CatalogueStore, languageName, languagesOf, visibleGroups } from "./catalogue-store.ts";
import { catalogue, vaultSettings, voiceGroup, voiceRow } from "./testing/records.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const broken = () => new VisavisError({ code: "internal", message: "Broken.", status: 500 });
const nora = voiceRow("nora");
const luis = voiceRow("luis", { language: "es", gender: "male", description: "Cálido y lento" });
const two = catalogue([
  voiceGroup({ voices: [nora, luis] }),
  voiceGroup({
    provider: "cartesia",
    label: "Cartesia",
    state: "key_problem",
    reason: "No key.",
    voices: [],
  }),
]);

function make() {
  const api = {
    catalogue: vi.fn(async (_options: { refresh: boolean }) => two),
    setDefault: vi.fn(async () => vaultSettings()),
    forgetDefault: vi.fn(async () => vaultSettings()),
  };
  const onSettings = vi.fn();
  return { api, onSettings, store: new CatalogueStore({ api, onSettings }) };
}

describe("finding a voice", () => {
  it("searches names, descriptions and languages, and keeps groups that have something to say", async () => {
    const { store } = make();
    await store.load();
    const found = () => visibleGroups(store.get()).map(({ voices }) => voices.map(({ id }) => id));
    store.setQuery("calido");
    expect(found()).toEqual([["luis"], []]);
    store.setQuery("spanish MALE");
    expect(found()).toEqual([["luis"], []]);
    store.setQuery("");
    store.setLanguage("en");
    expect(found()).toEqual([["nora"], []]);
  });

  it("names languages as people do", () => {
    expect(languagesOf(two).map(({ label }) => label)).toEqual(["English", "Spanish"]);
    expect(languageName("pt_BR")).toBe("Brazilian Portuguese");
    expect(languageName("not a tag!")).toBe("not a tag!");
  });
});

describe("reading the catalogue", () => {
  it("goes on while an engine starts", async () => {
    const { api, store } = make();
    api.catalogue.mockResolvedValueOnce(catalogue([voiceGroup({ state: "starting", reason: "Starting." })]));
    store.watch();
    await vi.runAllTimersAsync();
    expect(api.catalogue).toHaveBeenCalledTimes(2);
  });

  it("stops when the page is left", async () => {
    const { api, store } = make();
    api.catalogue.mockResolvedValue(catalogue([], { engine_ready: false }));
    const leave = store.watch();
    await vi.advanceTimersByTimeAsync(0);
    leave();
    await vi.runAllTimersAsync();
    expect(api.catalogue).toHaveBeenCalledTimes(1);
  });

  it("asks the providers again on request, and keeps the old list when that fails", async () => {
    const { api, store } = make();
    await store.load();
    api.catalogue.mockRejectedValueOnce(broken());
    await store.refresh();
    expect(api.catalogue).toHaveBeenLastCalledWith({ refresh: true });
    expect(store.get()).toMatchObject({
      status: "ready",
      catalogue: two,
      problem: "Broken.",
      refreshing: false,
    });
  });
});

describe("the default voice", () => {
  it("is shown at once, saved under its name, and read back", async () => {
    const { api, store, onSettings } = make();
    await store.load();
    const portal_default = { provider: "local" as const, id: "luis" };
    api.catalogue.mockResolvedValueOnce({ ...two, portal_default });
    const choosing = store.makeDefault(luis);
    expect(store.get()).toMatchObject({ choosing: "local/luis", catalogue: { portal_default } });
    await choosing;
    expect(api.setDefault).toHaveBeenCalledExactlyOnceWith({
      engine: "local",
      voice_id: "luis",
      display_name: "Luis",
    });
    expect(onSettings).toHaveBeenCalledExactlyOnceWith(vaultSettings());
    expect(store.get()).toMatchObject({ choosing: null, catalogue: { portal_default } });
  });

  it("goes back to what it was, with the portal's sentence, when it is refused", async () => {
    const { api, store } = make();
    api.catalogue.mockResolvedValueOnce({ ...two, portal_default: { provider: "local", id: "nora" } });
    await store.load();
    api.setDefault.mockRejectedValueOnce(broken());
    await store.makeDefault(luis);
    expect(store.get()).toMatchObject({
      problem: "Broken.",
      catalogue: { portal_default: { provider: "local", id: "nora" } },
    });
    api.forgetDefault.mockRejectedValueOnce(broken());
    await store.forgetDefault();
    expect(store.get().catalogue?.portal_default).toEqual({ provider: "local", id: "nora" });
    await store.forgetDefault();
    expect(store.get().catalogue?.portal_default).toBeNull();
  });
});
