import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelStatus } from "../../contract/models.ts";
import { VisavisError } from "../sdk/index.ts";
import { ReadinessStore } from "./readiness-store.ts";
import { modelRow } from "./testing/models.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (state: ModelStatus["state"], pollAfterSeconds?: number): ModelStatus => ({
  ok: true,
  model: "m",
  state,
  reason: "",
  ...(pollAfterSeconds === undefined ? {} : { poll_after_seconds: pollAfterSeconds }),
});

describe("ReadinessStore", () => {
  it("asks again after as long as the portal says, until nothing moves", async () => {
    const status = vi.fn<() => Promise<ModelStatus>>();
    status.mockResolvedValueOnce(answer("enabling", 2)).mockResolvedValueOnce(answer("ready"));
    const store = new ReadinessStore({ warm: async () => answer("enabling", 5), status });
    await store.warm("m");
    expect(store.get().models["m"]).toMatchObject({ state: "enabling", warming: true });
    await vi.advanceTimersByTimeAsync(4999);
    expect(status).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(status).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(2000);
    expect(store.get().models["m"]).toMatchObject({ state: "ready", warming: false });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(status).toHaveBeenCalledTimes(2);
  });

  it("warms a model once at a time", async () => {
    const warm = vi.fn(async () => answer("enabling", 5));
    const store = new ReadinessStore({ warm, status: async () => answer("ready") });
    await Promise.all([store.warm("m"), store.warm("m")]);
    expect(warm).toHaveBeenCalledOnce();
    store.dispose();
  });

  it("shows why it did not work", async () => {
    const error = new VisavisError({
      code: "models_unavailable",
      message: "No catalogue here.",
      status: 503,
    });
    const store = new ReadinessStore({
      warm: () => Promise.reject(error),
      status: async () => answer("ready"),
    });
    await store.warm("m");
    expect(store.get().models["m"]).toEqual({
      state: "unknown",
      reason: "No catalogue here.",
      warming: false,
    });
  });

  it("takes the catalogue's word, but not over a warm-up's", async () => {
    const store = new ReadinessStore({
      warm: async () => answer("enabling", 5),
      status: async () => answer("ready"),
    });
    const status = { state: "ready", reason: "" } as const;
    await store.warm("warming");
    store.learn([modelRow("still", { status }), modelRow("warming", { status })]);
    expect(store.get().models["still"]).toMatchObject({ state: "ready" });
    expect(store.get().models["warming"]).toMatchObject({ state: "enabling", warming: true });
    store.dispose();
  });

  it("asks nothing more once it is disposed of", async () => {
    const status = vi.fn(async () => answer("ready"));
    const store = new ReadinessStore({ warm: async () => answer("enabling", 5), status });
    await store.warm("m");
    store.dispose();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(status).not.toHaveBeenCalled();
  });
});
