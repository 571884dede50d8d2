import { describe, expect, it, vi } from "vitest";
import type { ConsentRequest } from "../../contract/consents.ts";
import type { AvatarCreated } from "../../contract/avatars.ts";
import { VisavisError, type UploadOptions as ClientUploadOptions } from "../sdk/index.ts";
import type { Clip } from "../../contract/clips.ts";
import { limits } from "../../contract/limits.ts";
import { UploadStore } from "./upload-store.ts";
import { digestOf } from "./upload-wish.ts";

const photo = () => new File(["jpeg"], "ada_l.jpg", { type: "image/jpeg" });
const created: AvatarCreated = {
  avatar: "ada",
  display_name: "Ada",
  status: "preparing",
  tones: ["neutral"],
  note: "",
  active: "maya",
};
const film = () => new File(["mp4"], "ada.mp4", { type: "video/mp4" });
const clip = (tone: Clip["tone"], state: Clip["state"], detail = ""): Clip => ({
  tone,
  state,
  variant_id: `ada__${tone}`,
  duration_s: null,
  updated_at: 1,
  detail,
});
const face = (state: "ready" | "preparing" | "failed", detail = "", clips: Clip[] = []) => ({
  id: "ada",
  name: "Ada",
  stock: false,
  state,
  detail,
  clips,
  step: null,
});

function make({ note = "" } = {}) {
  const uploads: { options: ClientUploadOptions; resolve(): void; reject(error: Error): void }[] = [];
  const uploadAvatar = (_file: File, options: ClientUploadOptions = {}) =>
    new Promise<AvatarCreated>((resolve, reject) => {
      uploads.push({ options, resolve: () => resolve({ ...created, note }), reject });
    });
  const onAccepted = vi.fn();
  const onReady = vi.fn();
  const attest = vi.fn(async (request: ConsentRequest) => ({
    consent_id: "agreed",
    sha256: request.sha256,
    source_kind: request.source_kind,
    attested_at: 1,
  }));
  const retryClip = vi.fn(async (_avatar: string, _tone: string): Promise<void> => undefined);
  const store = new UploadStore({ client: { uploadAvatar, retryClip }, attest, onAccepted, onReady });
  store.open();
  const send = async () => {
    store.change({ attested: true });
    const before = uploads.length;
    const sending = store.send();
    await expect.poll(() => uploads).toHaveLength(before + 1);
    return { sending, upload: uploads[before]! };
  };
  return { store, send, uploads, attest, retryClip, onAccepted, onReady };
}

describe("UploadStore", () => {
  it("takes a photograph from the choice to the face, with progress", async () => {
    const { store, send, onAccepted, onReady } = make();
    store.choose(photo());
    expect(store.get().phase).toMatchObject({ step: "naming", name: "Ada l" });
    store.rename("  Ada ");
    const { sending, upload } = await send();
    expect(upload.options.name).toBe("Ada");
    upload.options.onProgress?.(0.5);
    expect(store.get().phase).toMatchObject({ step: "sending", fraction: 0.5 });
    upload.resolve();
    await sending;
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith("ada", "Ada");
    store.follow([face("preparing")]);
    expect(store.get().phase.step).toBe("preparing");
    store.follow([face("ready")]);
    expect(store.get().phase.step).toBe("closed");
    expect(onReady).toHaveBeenCalledExactlyOnceWith("ada");
  });

  it("stays with the photograph when the box refuses it, so that it can be tried again", async () => {
    const { store, send, uploads, attest } = make();
    store.choose(photo());
    const { sending, upload } = await send();
    upload.reject(new VisavisError({ code: "several_faces", message: "Two faces.", status: 400 }));
    await sending;
    expect(store.get().phase).toMatchObject({
      step: "naming",
      refusal: { title: "More than one face", detail: "Two faces." },
    });
    await send();
    expect(uploads).toHaveLength(2);
    // What was agreed to for these bytes holds for the second try as well.
    expect(attest).toHaveBeenCalledOnce();
  });

  it("refuses what is no photograph before anything is sent", () => {
    const { store, uploads } = make();
    store.choose(new File(["text"], "notes.txt", { type: "text/plain" }));
    expect(store.get().phase).toMatchObject({ step: "choosing", refusal: { detail: expect.any(String) } });
    void store.send();
    expect(uploads).toHaveLength(0);
  });

  it("cancels the upload when the dialog is closed, and says nothing of it", async () => {
    const { store, send, onAccepted } = make();
    store.choose(photo());
    const { sending, upload } = await send();
    store.close();
    expect(upload.options.signal?.aborted).toBe(true);
    upload.reject(new VisavisError({ code: "aborted", message: "Cancelled." }));
    await sending;
    expect(store.get().phase.step).toBe("closed");
    expect(onAccepted).not.toHaveBeenCalled();
  });

  it("says why a face could not be prepared", async () => {
    const { store, send, onReady } = make();
    store.choose(photo());
    const { sending, upload } = await send();
    upload.resolve();
    await sending;
    store.follow([face("failed", "The face is turned away.")]);
    expect(store.get().phase).toMatchObject({
      step: "choosing",
      refusal: { detail: "The face is turned away." },
    });
    expect(onReady).not.toHaveBeenCalled();
  });

  it("gives the photograph's memory back", () => {
    const revoke = vi.spyOn(URL, "revokeObjectURL");
    const { store } = make();
    store.choose(photo());
    store.choose(photo());
    store.close();
    expect(revoke).toHaveBeenCalledTimes(2);
    revoke.mockRestore();
  });

  it("sends nothing before somebody has agreed, and then the agreement to exactly these bytes", async () => {
    const { store, send, uploads, attest } = make();
    const file = photo();
    store.choose(file);
    await store.send();
    expect([attest.mock.calls.length, uploads.length]).toEqual([0, 0]);
    const { upload } = await send();
    const sha256 = await digestOf(file);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(attest).toHaveBeenCalledExactlyOnceWith({ sha256, source_kind: "photo", attested: true });
    expect(upload.options.consentToken).toBe("agreed");
  });

  it("says so when the agreement cannot be recorded", async () => {
    const { store, uploads, attest } = make();
    attest.mockRejectedValueOnce(
      new VisavisError({ code: "consents_unavailable", message: "Not now.", status: 503 }),
    );
    store.choose(photo());
    store.change({ attested: true });
    await store.send();
    expect(store.get().phase).toMatchObject({ step: "naming", refusal: { detail: "Not now." } });
    expect(uploads).toHaveLength(0);
  });

  it("asks for the tones that are ticked, of a photograph", async () => {
    const { store, send } = make();
    store.choose(photo());
    for (const tone of ["happy", "sad", "excited", "curious", "serious", "concerned"] as const)
      store.setTone(tone, false);
    store.change({ framing: "head", gestureAmplitude: 0.8 });
    const { upload } = await send();
    expect(upload.options).toMatchObject({
      tones: ["neutral", "warm", "surprised"],
      framing: "head",
      gestureAmplitude: 0.8,
      aiGenerated: false,
      takes: [],
    });
  });

  it("asks for the tones that have footage, of a video, and for all that are ticked of one made by AI", async () => {
    const { store, send } = make();
    store.choose(film());
    const take = new File(["webm"], "warm.webm", { type: "video/webm" });
    store.addTakes("warm", [take]);
    store.addTakes("sad", [new File(["mkv"], "sad.mkv", { type: "" })]);
    store.addTakes("happy", [photo()]);
    expect(store.get().phase).toMatchObject({ refusal: { title: "That is no video" } });
    const first = await send();
    expect(first.upload.options).toMatchObject({ tones: ["neutral", "warm", "sad"], aiGenerated: false });
    expect(first.upload.options.takes?.[0]).toEqual({ tone: "warm", file: take });
    first.upload.reject(new VisavisError({ code: "network", message: "Gone." }));
    await first.sending;
    store.change({ aiGenerated: true, tones: ["curious"] });
    const second = await send();
    expect(second.upload.options).toMatchObject({
      tones: ["neutral", "warm", "curious", "sad"],
      aiGenerated: true,
    });
  });

  it("refuses more takes and more bytes than can be sent", async () => {
    const { store, uploads } = make();
    store.choose(film());
    const big = film();
    Object.defineProperty(big, "size", { value: limits.videoBytes });
    store.addTakes(
      "warm",
      Array.from({ length: limits.takesPerTone + 1 }, () => film()),
    );
    expect(store.get().phase).toMatchObject({ refusal: { detail: expect.stringContaining("20 takes") } });
    store.addTakes("sad", [big, film()]);
    store.change({ attested: true });
    await store.send();
    expect(store.get().phase).toMatchObject({ refusal: { title: "That is too much at once" } });
    expect(uploads).toHaveLength(0);
  });

  it("tells what the build is doing, and closes when the face is there though its tones are not", async () => {
    const { store, send, onReady } = make();
    store.choose(photo());
    const { sending, upload } = await send();
    upload.resolve();
    await sending;
    store.follow([{ ...face("preparing"), step: "landmarks" }]);
    expect(store.get().phase).toMatchObject({ step: "preparing", build: "landmarks" });
    store.follow([face("ready", "", [clip("warm", "generating")])]);
    expect(store.get().phase.step).toBe("closed");
    expect(onReady).toHaveBeenCalledOnce();
  });

  it("stays open for what the box has to say, with the tones on their way, and has a failed one made again", async () => {
    const { store, send, retryClip, onReady } = make({ note: "Eight tones are coming." });
    store.choose(photo());
    const { sending, upload } = await send();
    upload.resolve();
    await sending;
    store.follow([face("ready", "", [clip("warm", "generating"), clip("sad", "failed", "No light.")])]);
    expect(store.get().phase).toMatchObject({ step: "made", note: "Eight tones are coming." });
    store.follow([face("ready", "", [clip("warm", "generated"), clip("sad", "failed", "No light.")])]);
    expect(onReady).toHaveBeenCalledExactlyOnceWith("ada");
    await store.retryTone("sad");
    expect(retryClip).toHaveBeenCalledExactlyOnceWith("ada", "sad");
    expect(store.get().phase).toMatchObject({ clips: [{ state: "generated" }, { state: "generating" }] });
    retryClip.mockRejectedValueOnce(
      new VisavisError({ code: "consent_required", message: "Agree first.", status: 403 }),
    );
    await store.retryTone("sad");
    expect(store.get().phase).toMatchObject({
      clips: [{ state: "generated" }, { state: "failed", detail: "Agree first." }],
    });
  });
});
