import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../ops/log.ts";
import { VoiceFailure } from "./failure.ts";
import type { HostedEngine } from "./hosted/hosted.ts";
import { ProviderLists } from "./provider-lists.ts";
import type { ListedVoice } from "./voice.ts";

let lists: ProviderLists;
let asked: number;
let answer: () => Promise<ListedVoice[]>;

const voice = (id: string): ListedVoice => ({
  provider: "cartesia",
  id,
  name: id,
  language: "en",
  gender: "",
  description: "",
  recommended: true,
});
const engine: HostedEngine = {
  id: "cartesia",
  label: "Cartesia",
  looksLike: () => true,
  listVoices: () => {
    asked++;
    return answer();
  },
  speak: async function* () {},
  warm: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
const known = () => lists.known(engine, "key")?.voices.map(({ id }) => id) ?? null;

beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  answer = () => Promise.resolve([voice("first")]);
  lists = new ProviderLists({ log: createLog("silent") });
});
afterEach(() => {
  lists.close();
  vi.useRealTimers();
});

test("a list past its time is chosen from while the next is fetched, once", async () => {
  expect(known()).toBeNull();
  expect(asked).toBe(0);
  await lists.get(engine, "key");
  await vi.advanceTimersByTimeAsync(301_000);
  answer = () => Promise.resolve([voice("second")]);
  expect([known(), known(), asked]).toEqual([["first"], ["first"], 2]);
  await vi.advanceTimersByTimeAsync(0);
  expect([known(), asked]).toEqual([["second"], 2]);
});

test("whoever reads the catalogue hears of a failure, and turns go on with the list of before", async () => {
  await lists.get(engine, "key");
  answer = () => Promise.reject(new VoiceFailure("Cartesia", "unreachable"));
  expect(await lists.get(engine, "key", { refresh: true })).toMatchObject({ state: "unreachable" });
  expect(known()).toEqual(["first"]);
  answer = () => Promise.resolve([]);
  expect((await lists.get(engine, "key", { refresh: true })).state).toBe("empty");
  expect(known()).toEqual([]);
});
