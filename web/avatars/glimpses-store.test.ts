import { describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import type { Assets, ClipList } from "./avatars-api.ts";
import { builtTones, GlimpsesStore, pictureOf } from "./glimpses-store.ts";

const missing = () => new VisavisError({ code: "unknown_avatar", message: "No.", status: 404 });

function assets(...files: ["image" | "video", string][]): Assets {
  return {
    avatar_id: "ada",
    assets: files.map(([kind, filename]) => ({
      kind,
      filename,
      size_bytes: 1,
      updated_at: 1,
      url: `https://media.test/${filename}`,
    })),
    expires_in: 900,
  };
}

function clips(...states: [string, string][]): ClipList {
  return {
    clips: states.map(([tone, state]) => ({ tone, state })),
  } as unknown as ClipList;
}

const video = (tone: string) => ({
  url: `https://media.test/${tone}.mp4`,
  expires_in: 900,
  expires_at: 1,
  tone: "neutral" as const,
  updated_at: 1,
});

describe("pictureOf", () => {
  it("prefers the still to the source, and is null without a picture", () => {
    expect(pictureOf(assets(["image", "source.jpg"], ["image", "still.png"]))).toMatch(/still\.png$/);
    expect(pictureOf(assets(["video", "neutral.mp4"], ["image", "source.jpg"]))).toMatch(/source\.jpg$/);
    expect(pictureOf(assets(["video", "neutral.mp4"]))).toBeNull();
  });
});

describe("builtTones", () => {
  it("names what is generated, in the vocabulary's order", () => {
    const list = clips(["sad", "generated"], ["neutral", "generated"], ["happy", "failed"]);
    expect(builtTones(list)).toEqual(["neutral", "sad"]);
  });
});

describe("GlimpsesStore", () => {
  it("asks once for each version of a record", async () => {
    const api = {
      assets: vi.fn(async () => assets(["image", "still.png"])),
      clips: vi.fn(async () => clips(["neutral", "generated"])),
      clipVideo: vi.fn(),
    };
    const store = new GlimpsesStore(api);
    store.want({ id: "ada", mine: true, version: "1", fresh: false });
    store.want({ id: "ada", mine: true, version: "1", fresh: false });
    await expect.poll(() => store.get().glimpses["ada"]?.tones).toEqual(["neutral"]);
    store.want({ id: "ada", mine: true, version: "2", fresh: false });
    await expect.poll(() => api.assets).toHaveBeenCalledTimes(2);
    expect(api.clipVideo).not.toHaveBeenCalled();
  });

  it("shows the base loop of somebody else's avatar, whose archive is nobody else's business", async () => {
    const api = {
      assets: vi.fn(),
      clips: vi.fn(),
      clipVideo: vi.fn(async (_: string, tone: string) => video(tone)),
    };
    const store = new GlimpsesStore(api);
    store.want({ id: "theirs", mine: false, version: "1", fresh: false });
    await vi.waitFor(() =>
      expect(store.get().glimpses["theirs"]).toEqual({
        picture: null,
        loop: "https://media.test/neutral.mp4",
        tones: null,
      }),
    );
    expect(api.assets).not.toHaveBeenCalled();
    expect(api.clips).not.toHaveBeenCalled();
  });

  it("makes do with nothing, and asks again after a link lapsed", async () => {
    const api = {
      assets: vi
        .fn()
        .mockRejectedValueOnce(missing())
        .mockResolvedValue(assets(["image", "still.png"])),
      clips: vi.fn().mockRejectedValue(missing()),
      clipVideo: vi.fn().mockRejectedValue(missing()),
    };
    const store = new GlimpsesStore(api);
    store.want({ id: "ada", mine: true, version: "1", fresh: false });
    await vi.waitFor(() =>
      expect(store.get().glimpses["ada"]).toEqual({ picture: null, loop: null, tones: null }),
    );
    store.lapsed("ada");
    expect(store.get().glimpses["ada"]).toBeUndefined();
    store.want({ id: "ada", mine: true, version: "1", fresh: false });
    await expect.poll(() => store.get().glimpses["ada"]?.picture).toMatch(/still/);
  });

  it("looks again for the picture of a face that was ready only just now, and not for ever", async () => {
    vi.useFakeTimers();
    const api = {
      assets: vi.fn(async () => assets()),
      clips: vi.fn(async () => clips()),
      clipVideo: vi.fn().mockRejectedValue(missing()),
    };
    const store = new GlimpsesStore(api);
    store.want({ id: "ada", mine: true, version: "1", fresh: true });
    await vi.advanceTimersByTimeAsync(2000);
    api.assets.mockResolvedValueOnce(assets(["image", "still.png"]));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.get().glimpses["ada"]?.picture).toMatch(/still/);
    expect(api.assets).toHaveBeenCalledTimes(3);
    store.want({ id: "bob", mine: true, version: "1", fresh: true });
    await vi.runAllTimersAsync();
    expect(api.assets).toHaveBeenCalledTimes(3 + 9);
    store.want({ id: "eve", mine: true, version: "1", fresh: true });
    await vi.advanceTimersByTimeAsync(0);
    store.dispose();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it("keeps a few requests going, not all at once", async () => {
    const open: (() => void)[] = [];
    const clipVideo = vi.fn(
      () =>
        new Promise<ReturnType<typeof video>>((resolve) => {
          open.push(() => resolve(video("neutral")));
        }),
    );
    const store = new GlimpsesStore({ assets: vi.fn(), clips: vi.fn(), clipVideo });
    for (let i = 0; i < 10; i += 1) store.want({ id: `a${i}`, mine: false, version: "1", fresh: false });
    await expect.poll(() => open).toHaveLength(3);
    expect(clipVideo).toHaveBeenCalledTimes(3);
    while (Object.keys(store.get().glimpses).length < 10) {
      for (const answer of open.splice(0)) answer();
      await Promise.resolve();
      expect(open.length).toBeLessThanOrEqual(3);
    }
    expect(clipVideo).toHaveBeenCalledTimes(10);
  });
});
