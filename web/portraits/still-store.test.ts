import { describe, expect, it, vi } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { StillJob } from "../../contract/stills.ts";
import { VisavisError } from "../sdk/index.ts";
import type { PutOptions } from "./portraits-api.ts";
import { StillStore } from "./still-store.ts";

const photo = (parts: { name?: string; type?: string; size?: number } = {}) => {
  const file = new File(["jpeg"], parts.name ?? "me.jpg", { type: parts.type ?? "image/jpeg" });
  if (parts.size !== undefined) Object.defineProperty(file, "size", { value: parts.size });
  return file;
};

const done: StillJob = {
  state: "done",
  image_url: "https://media.test/still.png",
  identity_checked: true,
  identity_score: 0.91,
};

function make(jobs: StillJob[] = [{ state: "pending" }, { state: "running" }, done]) {
  const api = {
    grantUpload: vi.fn(async () => ({
      upload_id: "u1",
      files: [
        {
          field: "file" as const,
          filename: "me.jpg",
          url: "https://media.test/put",
          headers: { "Content-Type": "image/jpeg" },
          expires_in: 900,
          expires_at: 1,
        },
      ],
    })),
    put: vi.fn(async (_file: Blob, _grant: object, { onProgress }: PutOptions) => onProgress(1)),
    startStill: vi.fn(async (_request: object) => "j1"),
    stillJob: vi.fn(async () => jobs.shift() ?? done),
  };
  const store = new StillStore({ api, pollMs: 1 });
  return { api, store };
}

describe("StillStore", () => {
  it("sends the photograph to storage, starts the job with the wishes, and follows it to its end", async () => {
    const { api, store } = make();
    store.choose(photo());
    store.setNote(" By the window ");
    store.setOutfit("a grey jacket");
    const steps: string[] = [];
    store.subscribe(() => steps.push(store.get().phase.step));
    await store.start();
    expect(api.grantUpload).toHaveBeenCalledExactlyOnceWith({
      files: [{ field: "file", filename: "me.jpg", content_type: "image/jpeg", size: 4 }],
    });
    expect(api.put.mock.calls[0]?.[1]).toMatchObject({ headers: { "Content-Type": "image/jpeg" } });
    expect(api.startStill).toHaveBeenCalledExactlyOnceWith({
      upload_id: "u1",
      note: "By the window",
      look: { outfit: "a grey jacket" },
    });
    expect(new Set(steps)).toEqual(new Set(["sending", "waiting", "done"]));
    expect(store.get().phase).toMatchObject({ step: "done", result: { identity_score: 0.91 } });
  });

  it("refuses what is no photograph before anything is sent", () => {
    const { api, store } = make();
    for (const file of [
      photo({ type: "image/webp" }),
      photo({ size: 0 }),
      photo({ size: limits.imageBytes + 1 }),
    ]) {
      store.choose(file);
      expect(store.get().phase).toMatchObject({ step: "choosing", problem: expect.any(String) });
    }
    expect(api.grantUpload).not.toHaveBeenCalled();
  });

  it("says why a job failed, and keeps the photograph for another try", async () => {
    const { store } = make([
      { state: "failed", error: "not_the_same_person", message: "Not the same person." },
    ]);
    store.choose(photo());
    await store.start();
    expect(store.get().phase).toMatchObject({
      step: "describing",
      problem: "Not the same person.",
    });
  });

  it("knows afterwards that nobody makes stills here", async () => {
    const { api, store } = make();
    api.startStill.mockRejectedValueOnce(
      new VisavisError({ code: "seated_still_unavailable", message: "Not here.", status: 503 }),
    );
    store.choose(photo());
    await store.start();
    expect(store.get()).toMatchObject({ available: false, phase: { problem: "Not here." } });
  });

  it("stops following a job that was given up", async () => {
    const { api, store } = make(Array.from({ length: 1000 }, () => ({ state: "running" as const })));
    store.choose(photo());
    const following = store.start();
    await expect.poll(() => api.stillJob).toHaveBeenCalled();
    store.reset();
    await following;
    const asked = api.stillJob.mock.calls.length;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    expect(api.stillJob.mock.calls.length).toBe(asked);
    expect(store.get().phase).toEqual({ step: "choosing", problem: null });
  });
});
