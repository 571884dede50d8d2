import { describe, expect, it, vi } from "vitest";
import { usualRow, VoiceChoiceStore } from "./choice-store.ts";
import { catalogue, voiceGroup, voiceRow } from "./testing/records.ts";

function make(initial?: string) {
  const kept = new Map(initial === undefined ? [] : [["visavis.voice/a@b.c", initial]]);
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const onLive = vi.fn();
  return { store: new VoiceChoiceStore({ account: "a@b.c", storage, onLive }), storage, onLive };
}

const nora = voiceRow("nora");
const iris = voiceRow("iris");
const far = voiceRow("far", { provider: "cartesia" });

describe("VoiceChoiceStore", () => {
  it("keeps what was picked for the next time, and nothing else of the row", () => {
    const { store, storage } = make();
    store.pick(nora);
    const next = (account: string) =>
      new VoiceChoiceStore({ account, storage, onLive: vi.fn() }).get().picked;
    expect(next("a@b.c")).toEqual({ provider: "local", id: "nora", name: "Nora" });
    expect(next("somebody@else.where")).toBeNull();
    store.forget();
    expect(next("a@b.c")).toBeNull();
  });

  it.each(["{", "7", "null", '{"provider":"nobody","id":"x","name":"X"}', '{"provider":"local","id":7}'])(
    "takes %s that was kept for nothing",
    (text) => expect(make(text).store.get().picked).toBeNull(),
  );

  it("changes a live session's voice within its engine at once", () => {
    const { store, onLive } = make();
    store.pick(nora);
    expect(onLive).not.toHaveBeenCalled();
    store.began();
    store.pick(iris);
    expect(onLive).toHaveBeenCalledExactlyOnceWith("iris");
    expect([store.liveVoice(), store.waits()]).toEqual(["iris", false]);
    store.forget();
    expect(onLive).toHaveBeenLastCalledWith("");
    expect(store.liveVoice()).toBeNull();
  });

  it("lets a voice of another engine wait for the next session", () => {
    const { store, onLive } = make();
    store.pick(nora);
    store.began();
    store.pick(far);
    expect(onLive).not.toHaveBeenCalled();
    expect([store.liveVoice(), store.waits()]).toEqual([null, true]);
    store.ended();
    expect(store.waits()).toBe(false);
    store.began();
    expect([store.liveVoice(), store.waits()]).toEqual(["far", false]);
  });
});

describe("a session that began with a pick", () => {
  it("keeps it when the usual voice is wanted back, which waits for the next session", () => {
    const { store } = make();
    store.pick(nora);
    store.began();
    store.forget();
    expect([store.waits(), store.get().live?.name]).toEqual([true, "Nora"]);
    store.ended();
    expect(store.waits()).toBe(false);
  });
});

describe("a session that began with the usual voice", () => {
  it("changes to another voice of that voice's engine, once it is known", () => {
    const { store, onLive } = make();
    store.began();
    store.setUsual({ provider: "local", id: "nora" });
    store.pick(far);
    expect([store.liveVoice(), store.waits()]).toEqual([null, true]);
    store.pick(iris);
    expect([store.liveVoice(), store.waits()]).toEqual(["iris", false]);
    expect(onLive).toHaveBeenCalledExactlyOnceWith("iris");
  });
});

describe("usualRow", () => {
  const rows = [voiceGroup({ voices: [nora, iris] })];

  it("is the row of that voice and engine, else none", () => {
    const known = catalogue(rows);
    expect(usualRow(known, { provider: "local", id: "nora" })).toEqual(nora);
    expect(usualRow(known, { provider: "cartesia", id: "nora" })).toBeNull();
    expect(usualRow(known, { provider: "local", id: null })).toBeNull();
    expect(usualRow(known, null)).toBeNull();
  });
});
