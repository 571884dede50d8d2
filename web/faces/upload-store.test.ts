import { describe, expect, it, vi } from "vitest";
import type { AvatarCreated } from "../../contract/avatars.ts";
import { VisavisError, type UploadOptions as ClientUploadOptions } from "../sdk/index.ts";
import { UploadStore } from "./upload-store.ts";

const photo = () => new File(["jpeg"], "ada_l.jpg", { type: "image/jpeg" });
const created: AvatarCreated = {
  avatar: "ada",
  display_name: "Ada",
  status: "preparing",
  tones: ["neutral"],
  note: "",
  active: "maya",
};
const face = (state: "ready" | "preparing" | "failed", detail = "") => ({
  id: "ada",
  name: "Ada",
  stock: false,
  state,
  detail,
});

function make() {
  const uploads: { options: ClientUploadOptions; resolve(): void; reject(error: Error): void }[] = [];
  const uploadAvatar = (_file: File, options: ClientUploadOptions = {}) =>
    new Promise<AvatarCreated>((resolve, reject) => {
      uploads.push({ options, resolve: () => resolve(created), reject });
    });
  const onAccepted = vi.fn();
  const onReady = vi.fn();
  const store = new UploadStore({ client: { uploadAvatar }, onAccepted, onReady });
  store.open();
  return { store, uploads, onAccepted, onReady };
}

describe("UploadStore", () => {
  it("takes a photograph from the choice to the face, with progress", async () => {
    const { store, uploads, onAccepted, onReady } = make();
    store.choose(photo());
    expect(store.get().phase).toMatchObject({ step: "naming", name: "Ada l" });
    store.rename("  Ada ");
    const sending = store.send();
    expect(uploads[0]?.options.name).toBe("Ada");
    uploads[0]?.options.onProgress?.(0.5);
    expect(store.get().phase).toMatchObject({ step: "sending", fraction: 0.5 });
    uploads[0]?.resolve();
    await sending;
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith("ada", "Ada");
    store.follow([face("preparing")]);
    expect(store.get().phase.step).toBe("preparing");
    store.follow([face("ready")]);
    expect(store.get().phase.step).toBe("closed");
    expect(onReady).toHaveBeenCalledExactlyOnceWith("ada");
  });

  it("stays with the photograph when the box refuses it, so that it can be tried again", async () => {
    const { store, uploads } = make();
    store.choose(photo());
    const sending = store.send();
    uploads[0]?.reject(new VisavisError({ code: "several_faces", message: "Two faces.", status: 400 }));
    await sending;
    expect(store.get().phase).toMatchObject({
      step: "naming",
      refusal: { title: "More than one face", detail: "Two faces." },
    });
    void store.send();
    expect(uploads).toHaveLength(2);
  });

  it("refuses what is no photograph before anything is sent", () => {
    const { store, uploads } = make();
    store.choose(new File(["text"], "notes.txt", { type: "text/plain" }));
    expect(store.get().phase).toMatchObject({ step: "choosing", refusal: { detail: expect.any(String) } });
    void store.send();
    expect(uploads).toHaveLength(0);
  });

  it("cancels the upload when the dialog is closed, and says nothing of it", async () => {
    const { store, uploads, onAccepted } = make();
    store.choose(photo());
    const sending = store.send();
    store.close();
    expect(uploads[0]?.options.signal?.aborted).toBe(true);
    uploads[0]?.reject(new VisavisError({ code: "aborted", message: "Cancelled." }));
    await sending;
    expect(store.get().phase.step).toBe("closed");
    expect(onAccepted).not.toHaveBeenCalled();
  });

  it("says why a face could not be prepared", async () => {
    const { store, uploads, onReady } = make();
    store.choose(photo());
    const sending = store.send();
    uploads[0]?.resolve();
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
});
