import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { AvatarCreated } from "../../contract/avatars.ts";
import { type UploadOptions, VisavisError } from "../sdk/index.ts";
import { UseStore } from "./use-store.ts";

const bytes = "the portrait's bytes";
const sha256 = createHash("sha256").update(bytes).digest("hex");
const created: AvatarCreated = {
  avatar: "ada",
  display_name: "Ada",
  status: "preparing",
  tones: ["neutral"],
  note: "",
  active: "maya",
};

function make(approved: string | null = sha256) {
  const api = {
    attest: vi.fn(async () => ({ consent_id: "c1", sha256, attested_at: 1, source_kind: "image" as const })),
    download: vi.fn(async () => new Blob([bytes], { type: "image/png" })),
  };
  const uploadAvatar = vi.fn(async (_file: File, _options?: UploadOptions) => created);
  const onAccepted = vi.fn();
  const store = new UseStore({ api, client: { uploadAvatar }, onAccepted });
  store.open({ url: "https://media.test/p.png", sha256: approved, suggestedName: "Ada" });
  return { api, uploadAvatar, onAccepted, store };
}

describe("UseStore", () => {
  it("attests to the approved bytes, and hands exactly them to a box", async () => {
    const { api, uploadAvatar, onAccepted, store } = make();
    store.setAttested(true);
    store.rename("  Ada L ");
    await store.send();
    expect(api.attest).toHaveBeenCalledExactlyOnceWith({ sha256, source_kind: "image", attested: true });
    const [file, options] = uploadAvatar.mock.calls[0] ?? [];
    expect(await file?.text()).toBe(bytes);
    expect(file?.type).toBe("image/png");
    expect(options).toMatchObject({ name: "Ada L", consentToken: "c1" });
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith("ada", "Ada");
    expect(store.get().phase).toMatchObject({ step: "accepted", id: "ada" });
  });

  it("does nothing before the person attested", async () => {
    const { api, store } = make();
    await store.send();
    expect(api.download).not.toHaveBeenCalled();
  });

  it("sends nothing when other bytes arrive than were approved", async () => {
    const { api, uploadAvatar, store } = make("0".repeat(64));
    store.setAttested(true);
    await store.send();
    expect(api.attest).not.toHaveBeenCalled();
    expect(uploadAvatar).not.toHaveBeenCalled();
    expect(store.get().phase).toMatchObject({
      step: "asking",
      problem: expect.stringMatching(/not the one/),
    });
  });

  it("comes back to the question with the box's sentence", async () => {
    const { uploadAvatar, store } = make(null);
    uploadAvatar.mockRejectedValueOnce(
      new VisavisError({ code: "box_unavailable", message: "No box is free.", status: 503 }),
    );
    store.setAttested(true);
    await store.send();
    expect(store.get().phase).toMatchObject({ step: "asking", attested: true, problem: "No box is free." });
  });

  it("cancels with the dialog", async () => {
    const { uploadAvatar, onAccepted, store } = make();
    uploadAvatar.mockImplementationOnce(
      (_file, options) =>
        new Promise((_, reject) => {
          options?.signal?.addEventListener("abort", () =>
            reject(new VisavisError({ code: "aborted", message: "Cancelled." })),
          );
        }),
    );
    store.setAttested(true);
    const sending = store.send();
    await expect.poll(() => uploadAvatar).toHaveBeenCalled();
    store.close();
    await sending;
    expect(store.get().phase.step).toBe("closed");
    expect(onAccepted).not.toHaveBeenCalled();
  });
});
