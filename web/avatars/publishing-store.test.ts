import { describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import type { PublicationTerms } from "./avatars-api.ts";
import { PublishingStore } from "./publishing-store.ts";
import { avatarRecord } from "./testing/records.ts";

const refusal = (code: string, status: number) =>
  new VisavisError({ code, message: `Said ${code}.`, status });
const terms = (version: string): PublicationTerms => ({
  version,
  text: `Terms ${version}`,
  sha256: "0".repeat(64),
});
const ada = avatarRecord("ada");
const publicAda = avatarRecord("ada", { visibility: "public" });

function make() {
  const api = {
    terms: vi.fn(async () => terms("1")),
    agree: vi.fn(),
    setVisibility: vi.fn(async (_id: string, visibility: "public" | "private") =>
      avatarRecord("ada", { visibility }),
    ),
    withdrawAgreement: vi.fn(),
  };
  const onRecord = vi.fn();
  return { api, onRecord, store: new PublishingStore({ api, onRecord }) };
}

async function agreed() {
  const made = make();
  await made.store.open(ada);
  made.store.setAgreed(true);
  return made;
}

describe("publishing", () => {
  it("records the agreement to the wording that was read, then publishes", async () => {
    const { api, store, onRecord } = await agreed();
    await store.publish();
    expect(api.agree).toHaveBeenCalledExactlyOnceWith("ada", "1");
    expect(api.setVisibility).toHaveBeenCalledExactlyOnceWith("ada", "public");
    expect(onRecord).toHaveBeenCalledExactlyOnceWith(publicAda);
    expect(store.get().phase.step).toBe("closed");
  });

  it("does nothing before the person agreed", async () => {
    const { api, store } = make();
    await store.open(ada);
    await store.publish();
    expect(api.agree).not.toHaveBeenCalled();
    expect(store.get().phase.step).toBe("reading");
  });

  it("shows the new wording when the terms changed meanwhile, and asks anew", async () => {
    const { api, store } = await agreed();
    api.agree.mockRejectedValueOnce(refusal("terms_outdated", 409));
    api.terms.mockResolvedValueOnce(terms("2"));
    await store.publish();
    expect(store.get().phase).toMatchObject({
      step: "reading",
      terms: { version: "2" },
      agreed: false,
      renewed: true,
    });
    expect(api.setVisibility).not.toHaveBeenCalled();
    store.setAgreed(true);
    await store.publish();
    expect(api.agree).toHaveBeenLastCalledWith("ada", "2");
  });

  it("tries again without a second record when only the publishing failed", async () => {
    const { api, store } = await agreed();
    api.setVisibility.mockRejectedValueOnce(refusal("publication_consent_unavailable", 503));
    await store.publish();
    expect(store.get().phase).toMatchObject({
      step: "reading",
      agreed: true,
      problem: "Said publication_consent_unavailable.",
    });
    await store.publish();
    expect(api.agree).toHaveBeenCalledTimes(1);
    expect(store.get().phase.step).toBe("closed");
  });

  it("agrees again when the portal no longer knows of the agreement", async () => {
    const { api, store } = await agreed();
    api.setVisibility.mockRejectedValueOnce(refusal("publication_consent_required", 409));
    await store.publish();
    await store.publish();
    expect(api.agree).toHaveBeenCalledTimes(2);
  });

  it("says why the terms cannot be read, and stays closed once closed", async () => {
    const { api, store } = make();
    api.terms.mockRejectedValueOnce(refusal("publication_consent_unavailable", 503));
    await store.open(ada);
    expect(store.get().phase).toMatchObject({ step: "unreadable", problem: expect.stringMatching(/^Said/) });
    const opening = store.open(ada);
    store.close();
    await opening;
    expect(store.get().phase.step).toBe("closed");
  });
});

describe("withdrawing", () => {
  it("shows it at once, and withdraws the agreement", async () => {
    const { api, store, onRecord } = make();
    const withdrawing = store.withdraw(publicAda);
    expect(onRecord).toHaveBeenCalledExactlyOnceWith(ada);
    expect(store.get().withdrawing).toBe("ada");
    await withdrawing;
    expect(api.withdrawAgreement).toHaveBeenCalledExactlyOnceWith("ada");
    expect(api.setVisibility).not.toHaveBeenCalled();
    expect(store.get()).toMatchObject({ withdrawing: null, notice: null });
  });

  it.each([
    ["publication_consent_unavailable", 503, true],
    ["publication_consent_not_found", 404, false],
  ])("turns private all the same after %s", async (code, status, says) => {
    const { api, store, onRecord } = make();
    api.withdrawAgreement.mockRejectedValueOnce(refusal(code, status));
    await store.withdraw(publicAda);
    expect(api.setVisibility).toHaveBeenCalledExactlyOnceWith("ada", "private");
    expect(onRecord).toHaveBeenLastCalledWith(ada);
    expect(store.get().notice?.kind ?? null).toBe(says ? "notice" : null);
  });

  it("goes back to public, with the portal's sentence, when neither way works", async () => {
    const { api, store, onRecord } = make();
    api.withdrawAgreement.mockRejectedValueOnce(refusal("internal", 500));
    api.setVisibility.mockRejectedValueOnce(refusal("internal", 500));
    await store.withdraw(publicAda);
    expect(onRecord).toHaveBeenLastCalledWith(publicAda);
    expect(store.get().notice).toEqual({ id: "ada", kind: "error", message: "Said internal." });
  });
});
