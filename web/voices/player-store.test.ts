import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import { PlayerStore, type Speaker } from "./player-store.ts";
import { voiceRow } from "./testing/records.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nora = voiceRow("nora");
const luis = voiceRow("luis");

function make() {
  let end: () => void = () => undefined;
  const speaker = {
    src: "",
    play: vi.fn(async () => undefined),
    pause: vi.fn(),
    addEventListener: (_type: "ended", listener: () => void) => {
      end = listener;
    },
  } satisfies Speaker;
  const api = {
    sample: vi.fn(async (_path: string, _signal: AbortSignal) => new Blob(["wav"])),
    speak: vi.fn(async (_line: object, _signal: AbortSignal) => new Blob(["wav"])),
  };
  return { api, speaker, store: new PlayerStore({ api, speaker }), end: () => end() };
}

describe("PlayerStore", () => {
  it("plays the house's sentence of a voice, and is still when it ends", async () => {
    const { api, speaker, store, end } = make();
    await store.toggle(nora);
    expect(api.sample).toHaveBeenCalledExactlyOnceWith(nora.preview, expect.any(AbortSignal));
    expect(speaker.src).toMatch(/^blob:/);
    expect(store.get()).toMatchObject({ row: "local/nora", step: "playing" });
    end();
    expect(store.get()).toMatchObject({ row: null, step: "idle" });
  });

  it("stops when the same voice is asked for again, and turns to another at once", async () => {
    const { api, speaker, store } = make();
    const revoke = vi.spyOn(URL, "revokeObjectURL");
    await store.toggle(nora);
    await store.toggle(nora);
    expect(store.get().step).toBe("idle");
    expect(speaker.pause).toHaveBeenCalled();
    expect(revoke).toHaveBeenCalledTimes(1);
    api.sample.mockImplementationOnce((_path, signal) => {
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
    const first = store.toggle(nora);
    await store.toggle(luis);
    await first;
    expect(store.get()).toMatchObject({ row: "local/luis", step: "playing", problem: null });
    revoke.mockRestore();
  });

  it("speaks a line of one's own, its white space collapsed", async () => {
    const { api, store } = make();
    store.setLine("  Good \n morning ");
    await store.toggle(nora);
    expect(api.speak).toHaveBeenCalledExactlyOnceWith(
      { provider: "local", voice: "nora", text: "Good morning" },
      expect.any(AbortSignal),
    );
    expect(api.sample).not.toHaveBeenCalled();
  });

  it("says before it asks that a line is too long", async () => {
    const { api, store } = make();
    store.setLine("x".repeat(201));
    expect(store.get().lineProblem).toMatch(/200/);
    await store.toggle(nora);
    expect(api.speak).not.toHaveBeenCalled();
    store.setLine("x".repeat(200));
    expect(store.get().lineProblem).toBeNull();
  });

  it("waits as long as the portal asks, and counts the seconds", async () => {
    const { api, store } = make();
    store.setLine("Hello");
    api.speak.mockRejectedValueOnce(
      new VisavisError({
        code: "preview_rate_limited",
        message: "Too many.",
        status: 429,
        retryAfterSeconds: 2,
      }),
    );
    await store.toggle(nora);
    expect(store.get()).toMatchObject({ row: null, waitSeconds: 2, lineProblem: "Too many." });
    await store.toggle(nora);
    expect(api.speak).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(store.get()).toMatchObject({ waitSeconds: 0, lineProblem: null });
    await store.toggle(nora);
    expect(store.get().step).toBe("playing");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("says at the voice why it cannot be heard", async () => {
    const { api, store } = make();
    api.sample.mockRejectedValueOnce(
      new VisavisError({ code: "voice_unavailable", message: "No engine.", status: 503 }),
    );
    await store.toggle(nora);
    expect(store.get()).toMatchObject({
      step: "idle",
      problem: { row: "local/nora", message: "No engine." },
    });
  });
});
