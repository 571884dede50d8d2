import { describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import { RecordingStore, type RecordingTerms } from "./recording-store.ts";

const terms = (version: string): RecordingTerms => ({ text: "Be kind.", version, digest: "a".repeat(64) });
const refusal = (status: number) => new VisavisError({ code: `http_${status}`, message: "No.", status });

function make(...versions: string[]) {
  const fetchTerms = vi.fn(async () => {
    const version = versions.shift();
    if (version === undefined) throw refusal(503);
    return terms(version);
  });
  return { store: new RecordingStore(fetchTerms), fetchTerms };
}

describe("RecordingStore", () => {
  it("agrees to nothing unless it is asked for, and to the terms that were shown when it is", async () => {
    const { store, fetchTerms } = make("2026-1");
    expect(store.agreement()).toEqual({});
    expect(fetchTerms).not.toHaveBeenCalled();
    const shown = store.setWanted(true);
    expect(store.agreement()).toBeNull();
    await shown;
    expect(store.agreement()).toEqual({
      recording: { terms_version: "2026-1", terms_digest: "a".repeat(64) },
    });
    await store.setWanted(false);
    expect(store.agreement()).toEqual({});
  });

  it("switches itself off where the terms cannot be fetched, and says so", async () => {
    const { store } = make();
    await store.setWanted(true);
    expect(store.get()).toMatchObject({
      wanted: false,
      problem: expect.stringContaining("nothing is recorded"),
    });
    expect(store.agreement()).toEqual({});
  });

  it("forgets terms that arrive after the switch was turned off again", async () => {
    const { store } = make("2026-1");
    const shown = store.setWanted(true);
    await store.setWanted(false);
    await shown;
    expect(store.get()).toMatchObject({ wanted: false, fetching: false, terms: null });
  });

  it("shows terms that have changed meanwhile, and asks again", async () => {
    const { store } = make("2026-1", "2026-2");
    await store.setWanted(true);
    expect(await store.refused(refusal(409))).toBe(true);
    expect(store.get()).toMatchObject({
      terms: { version: "2026-2" },
      problem: expect.stringMatching(/changed/),
    });
    expect(store.agreement()).toMatchObject({ recording: { terms_version: "2026-2" } });
  });

  it("leaves other refusals to the session", async () => {
    const { store } = make("2026-1", "2026-1");
    expect(await store.refused(refusal(409))).toBe(false);
    await store.setWanted(true);
    expect(await store.refused(refusal(503))).toBe(false);
    // A conflict for another reason: the terms are as they were.
    expect(await store.refused(refusal(409))).toBe(false);
    expect(store.get().problem).toBeNull();
  });
});
