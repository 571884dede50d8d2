import { describe, expect, it, vi } from "vitest";
import { limits } from "../../contract/limits.ts";
import { clientError, VisavisError } from "../sdk/errors.ts";
import type { Client } from "../sdk/index.ts";
import { SpokenFileStore } from "./spoken-file-store.ts";

const file = new File(["RIFF"], "hello.wav");

function make() {
  const uploadAudio = vi.fn<Client["uploadAudio"]>(async () => ({
    ok: true,
    audio: "up-1.wav",
    duration_s: 1,
  }));
  return { uploadAudio, store: new SpokenFileStore({ uploadAudio }) };
}

describe("SpokenFileStore", () => {
  it("sends a file, tells how far it is, and resolves with its name", async () => {
    const { uploadAudio, store } = make();
    const seen: unknown[] = [];
    store.subscribe(() => seen.push(store.get().sending?.fraction));
    uploadAudio.mockImplementationOnce(async (_file, options) => {
      options?.onProgress?.(0.5);
      return { ok: true, audio: "up-1.wav", duration_s: 1 };
    });
    expect(await store.send(file)).toBe("up-1.wav");
    expect(seen).toEqual([0, 0.5, undefined]);
  });

  it("shows the box's sentence, until the next file", async () => {
    const { uploadAudio, store } = make();
    uploadAudio.mockRejectedValueOnce(
      new VisavisError({ code: "http_400", message: "That is no sound.", status: 400 }),
    );
    expect(await store.send(file)).toBeNull();
    expect(store.get()).toEqual({ sending: null, problem: "That is no sound." });
    await store.send(file);
    expect(store.get().problem).toBeNull();
  });

  it("does not send what is too large to be taken", async () => {
    const { uploadAudio, store } = make();
    const large = Object.defineProperty(new File([], "long.wav"), "size", {
      value: limits.audioBodyBytes + 1,
    });
    expect(await store.send(large)).toBeNull();
    expect(store.get().problem).toMatch(/25 MB/);
    expect(uploadAudio).not.toHaveBeenCalled();
  });

  it("can be cancelled, which is no problem, and sends one file at a time", async () => {
    const { uploadAudio, store } = make();
    uploadAudio.mockImplementationOnce(
      (_file, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener("abort", () => reject(clientError("aborted", "Cancelled.")));
        }),
    );
    const sending = store.send(file);
    expect(await store.send(file)).toBeNull();
    expect(uploadAudio).toHaveBeenCalledOnce();
    store.cancel();
    expect(await sending).toBeNull();
    expect(store.get()).toEqual({ sending: null, problem: null });
    expect(await store.send(file)).toBe("up-1.wav");
  });
});
