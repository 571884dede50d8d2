import { describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import type { ClipVideo } from "./avatars-api.ts";
import { DetailStore } from "./detail-store.ts";

const missing = () => new VisavisError({ code: "unknown_avatar", message: "No such clip.", status: 404 });
const video = (tone: "neutral" | "happy"): ClipVideo => ({
  url: `https://media.test/${tone}.mp4`,
  expires_in: 900,
  expires_at: 1,
  tone,
  updated_at: 1,
});

function make(mine = true) {
  const api = { assets: vi.fn(), clips: vi.fn(), clipVideo: vi.fn(), retryClip: vi.fn() };
  return { api, store: new DetailStore(api, { id: "ada", mine }) };
}

describe("DetailStore", () => {
  it("shows each part by itself: one that fails takes nothing from the other", async () => {
    const { api, store } = make();
    api.assets.mockRejectedValue(
      new VisavisError({ code: "media_unavailable", message: "No storage.", status: 503 }),
    );
    api.clips.mockResolvedValue({ clips: [] });
    await store.load();
    expect(store.get().assets).toMatchObject({ status: "error", error: { message: "No storage." } });
    expect(store.get().clips).toEqual({ status: "ready", value: { clips: [] } });
  });

  it("looks again for the files of a face that was ready only just now", async () => {
    vi.useFakeTimers();
    const { api, store } = make();
    api.clips.mockResolvedValue({ clips: [] });
    api.assets.mockResolvedValueOnce({ assets: [] }).mockResolvedValue({ assets: [{ kind: "image" }] });
    await store.load({ fresh: true });
    await vi.runAllTimersAsync();
    expect(api.assets).toHaveBeenCalledTimes(2);
    expect(store.get().assets).toMatchObject({ value: { assets: [{ kind: "image" }] } });
    api.assets.mockResolvedValue({ assets: [] });
    await store.load({ fresh: true });
    store.dispose();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it("asks nothing about the archive of somebody else's avatar", async () => {
    const { api, store } = make(false);
    await store.load();
    expect(api.assets).not.toHaveBeenCalled();
    expect(store.get()).toMatchObject({ assets: { status: "hidden" }, clips: { status: "hidden" } });
  });

  it("plays what was asked for last, whichever answer comes first", async () => {
    const { api, store } = make();
    const answers: ((video: ClipVideo) => void)[] = [];
    api.clipVideo.mockImplementation(
      () =>
        new Promise((resolve) => {
          answers.push(resolve);
        }),
    );
    const first = store.play("neutral");
    const second = store.play("happy");
    answers[1]?.(video("happy"));
    answers[0]?.(video("neutral"));
    await Promise.all([first, second]);
    expect(store.get().playing).toEqual({ tone: "happy", url: video("happy").url, problem: null });
  });

  it("says that a tone was never built, and passes on any other sentence", async () => {
    const { api, store } = make();
    api.clipVideo.mockRejectedValueOnce(missing());
    await store.play("happy");
    expect(store.get().playing?.problem).toBe("There is no clip of this tone.");
    api.clipVideo.mockRejectedValueOnce(
      new VisavisError({ code: "clip_video_unavailable", message: "No media storage.", status: 503 }),
    );
    await store.play("happy");
    expect(store.get().playing?.problem).toBe("No media storage.");
    store.stop();
    expect(store.get().playing).toBeNull();
  });

  it("does not complain of a clip that nobody asked for", async () => {
    const { api, store } = make(false);
    api.clipVideo.mockRejectedValueOnce(missing());
    await store.play("neutral", { asked: false });
    expect(store.get().playing).toBeNull();
    api.clipVideo.mockResolvedValueOnce(video("neutral"));
    await store.play("neutral", { asked: false });
    expect(store.get().playing).toMatchObject({ url: video("neutral").url, problem: null });
  });

  it("has a failed tone made again, and reads until it is", async () => {
    vi.useFakeTimers();
    const { api, store } = make();
    const clip = (state: string, detail = "") => ({ tone: "sad", state, variant_id: "ada__sad", detail });
    api.assets.mockResolvedValue({ assets: [{ kind: "image" }] });
    api.clips.mockResolvedValueOnce({ clips: [clip("failed", "No light.")] });
    await store.load();
    api.clips.mockResolvedValueOnce({ clips: [clip("generating")] }).mockResolvedValue({
      clips: [clip("generated")],
    });
    await store.make("sad");
    expect(api.retryClip).toHaveBeenCalledExactlyOnceWith("ada", "sad");
    expect(store.get().clips).toMatchObject({ value: { clips: [{ state: "generating", detail: "" }] } });
    await vi.runAllTimersAsync();
    expect(store.get().clips).toMatchObject({ value: { clips: [{ state: "generated" }] } });
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it("says why a tone is not made, in friendly words", async () => {
    const { api, store } = make();
    api.retryClip.mockRejectedValue(
      new VisavisError({ code: "consent_required", message: "Upload it again and agree.", status: 403 }),
    );
    await store.make("sad");
    expect(store.get().refused).toEqual({
      tone: "sad",
      problem: "Nobody has agreed to this yet. Upload it again and agree.",
    });
  });
});
