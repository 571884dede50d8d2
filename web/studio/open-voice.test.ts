import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../sdk/index.ts";
import { catalogue, voiceGroup, voiceRow } from "../voices/testing/records.ts";
import { openVoice } from "./open-voice.ts";

const nora = voiceRow("nora");
const iris = voiceRow("iris");

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal(
    "Audio",
    class extends EventTarget {
      readonly pause = vi.fn();
      readonly removeAttribute = vi.fn();
    },
  );
});
afterEach(() => void vi.unstubAllGlobals());

function open() {
  const client = createClient({ baseUrl: "https://face.test", credential: "k" });
  const ask = vi.spyOn(client, "voices");
  const speaks = (current: string) =>
    ask.mockResolvedValue(catalogue([voiceGroup({ voices: [nora, iris] })], { current }));
  return { ask, speaks, ...openVoice(client, "a@b.c") };
}

describe("the usual voice", () => {
  it("is not the one that a session was begun with", async () => {
    const { catalogue: store, choice, speaks, wish } = open();
    speaks("nora");
    await store.load();
    choice.pick(iris);
    wish();
    speaks("iris");
    await store.load();
    expect(choice.get().usual).toEqual({ provider: "local", id: "nora" });
  });

  it("is what speaks in a session begun without a pick", async () => {
    const { catalogue: store, choice, speaks, wish } = open();
    wish();
    speaks("nora");
    await store.load();
    expect(choice.get().usual).toEqual({ provider: "local", id: "nora" });
  });

  it("is not learnt from an answer that a session overtook", async () => {
    const { ask, catalogue: store, choice, wish } = open();
    const answer = Promise.withResolvers<ReturnType<typeof catalogue>>();
    ask.mockReturnValue(answer.promise);
    const loading = store.load();
    choice.pick(iris);
    wish();
    answer.resolve(catalogue([voiceGroup({ voices: [nora, iris] })], { current: "iris" }));
    await loading;
    expect(choice.get().usual).toBeNull();
  });
});

describe("a pick that the box refused", () => {
  it("is forgotten and named", () => {
    const { choice, refused, wish } = open();
    choice.pick(iris);
    expect(wish()).toEqual({ voice: "iris", voice_provider: "local" });
    choice.ended();
    expect(refused()).toMatch(/^Iris /);
    expect(wish()).toEqual({});
  });
});
