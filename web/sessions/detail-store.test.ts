import { describe, expect, it, vi } from "vitest";
import type { SessionDetail } from "../../contract/sessions.ts";
import { VisavisError } from "../sdk/index.ts";
import { SessionDetailStore } from "./detail-store.ts";
import { sessionRow } from "./testing/records.ts";

function detail(recording: string | null): SessionDetail {
  return {
    session: sessionRow("a", { has_recording: recording !== null }),
    transcript: [{ role: "assistant", content: "Hello.", tone: "warm", at: 1 }],
    recording,
    consent: null,
  };
}

function make() {
  const api = {
    detail: vi.fn(async () => detail("https://media.test/1.mp4")),
    erase: vi.fn(async () => ({
      done: ["transcript" as const, "session" as const],
      pending: ["recording" as const],
    })),
  };
  const onRow = vi.fn();
  const onErased = vi.fn();
  return { api, onRow, onErased, store: new SessionDetailStore({ api, id: "a", onRow, onErased }) };
}

const broken = () => new VisavisError({ code: "internal", message: "Broken.", status: 500 });

describe("SessionDetailStore", () => {
  it("reads the session, and hands its row on", async () => {
    const { store, onRow } = make();
    await store.load();
    expect(store.get()).toMatchObject({ status: "ready", recording: "https://media.test/1.mp4" });
    expect(onRow).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: "a" }));
  });

  it("fetches a fresh link when playback fails, once until a picture came", async () => {
    const { api, store } = make();
    await store.load();
    api.detail.mockResolvedValueOnce(detail("https://media.test/2.mp4"));
    await store.playbackFailed();
    expect(store.get()).toMatchObject({ recording: "https://media.test/2.mp4", playbackProblem: null });
    await store.playbackFailed();
    expect(api.detail).toHaveBeenCalledTimes(2);
    expect(store.get().playbackProblem).toMatch(/cannot be played/);
    await store.retryPlayback();
    expect(api.detail).toHaveBeenCalledTimes(3);
    store.playbackWorks();
    await store.playbackFailed();
    expect(api.detail).toHaveBeenCalledTimes(4);
  });

  it("says so when the recording is gone, or its link cannot be fetched", async () => {
    const { api, store } = make();
    await store.load();
    api.detail.mockResolvedValueOnce(detail(null));
    await store.playbackFailed();
    expect(store.get().playbackProblem).toMatch(/no longer there/);
    api.detail.mockRejectedValueOnce(broken());
    await store.retryPlayback();
    expect(store.get()).toMatchObject({ status: "ready", playbackProblem: "Broken." });
  });

  it("erases, says what is pending, and can repeat it", async () => {
    const { api, onErased, store } = make();
    store.askErase();
    api.erase.mockRejectedValueOnce(broken());
    await store.erase();
    expect(store.get().erasing).toEqual({ step: "asking", problem: "Broken." });
    expect(onErased).not.toHaveBeenCalled();
    await store.erase();
    expect(store.get().erasing).toEqual({
      step: "erased",
      answer: { done: ["transcript", "session"], pending: ["recording"] },
    });
    expect(onErased).toHaveBeenCalledExactlyOnceWith("a");
  });

  it("says why there is nothing to see", async () => {
    const { api, store } = make();
    api.detail.mockRejectedValueOnce(
      new VisavisError({ code: "session_not_found", message: "No such session.", status: 404 }),
    );
    await store.load();
    expect(store.get()).toMatchObject({ status: "error", error: { code: "session_not_found" } });
  });
});
