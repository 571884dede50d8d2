import { describe, expect, it, vi } from "vitest";
import { spokenRow, VoiceChoiceStore } from "./choice-store.ts";
import { catalogue, voiceGroup, voiceRow } from "./testing/records.ts";

function make(initial?: string) {
  const kept = new Map(initial === undefined ? [] : [["visavis.voice", initial]]);
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const onLive = vi.fn();
  return { store: new VoiceChoiceStore({ storage, onLive }), storage, onLive };
}

const nora = voiceRow("nora");
const iris = voiceRow("iris");
const far = voiceRow("far", { provider: "cartesia" });

describe("VoiceChoiceStore", () => {
  it("keeps what was picked for the next time, and nothing else of the row", () => {
    const { store, storage } = make();
    store.pick(nora);
    expect(new VoiceChoiceStore({ storage, onLive: vi.fn() }).get().picked).toEqual({
      provider: "local",
      id: "nora",
      name: "Nora",
    });
    store.forget();
    expect(new VoiceChoiceStore({ storage, onLive: vi.fn() }).get().picked).toBeNull();
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

describe("a session that began with the usual voice", () => {
  it("changes to another voice of that voice's engine, once it is known", () => {
    const { store, onLive } = make();
    store.began();
    store.setUsualEngine("local");
    store.pick(far);
    expect([store.liveVoice(), store.waits()]).toEqual([null, true]);
    store.pick(iris);
    expect([store.liveVoice(), store.waits()]).toEqual(["iris", false]);
    expect(onLive).toHaveBeenCalledExactlyOnceWith("iris");
  });
});

describe("spokenRow", () => {
  const rows = [voiceGroup({ voices: [nora, iris] })];

  it("is the picked row, else the usual one, else none", () => {
    const known = catalogue(rows, { current: "nora" });
    expect(spokenRow(known, iris)).toEqual(iris);
    expect(spokenRow(known, null)).toEqual(nora);
    expect(spokenRow(known, far)).toBeNull();
    expect(spokenRow(catalogue(rows, { current: null }), null)).toBeNull();
  });
});
