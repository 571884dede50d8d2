import { describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import { SignInStore } from "./sign-in-store.ts";

const message = "If that address can sign in, a link is on its way.";

describe("SignInStore", () => {
  it("asks for a link and offers it at once where there is an outbox", async () => {
    const requestLink = vi.fn(async () => message);
    const store = new SignInStore({
      requestLink,
      outboxLink: async () => "http://localhost/auth/callback?token=t",
    });
    store.setEmail("  ada@example.com ");
    await store.request();
    expect(requestLink).toHaveBeenCalledExactlyOnceWith("ada@example.com");
    expect(store.get()).toMatchObject({ step: "sent", message, link: expect.stringContaining("token=t") });
    store.startOver();
    expect(store.get()).toMatchObject({ step: "asking", link: null });
  });

  it("does without one anywhere else, also when looking for it fails", async () => {
    for (const outboxLink of [async () => null, () => Promise.reject(new Error("404"))]) {
      const store = new SignInStore({ requestLink: async () => message, outboxLink });
      store.setEmail("ada@example.com");
      await store.request();
      expect(store.get()).toMatchObject({ step: "sent", link: null, error: null });
    }
  });

  it.each(["", "ada", "ada@", "@example.com", "a b@c"])(
    "asks again for %j before anything is sent",
    async (email) => {
      const requestLink = vi.fn(async () => message);
      const store = new SignInStore({ requestLink, outboxLink: async () => null });
      store.setEmail(email);
      await store.request();
      expect(requestLink).not.toHaveBeenCalled();
      expect(store.get()).toMatchObject({ step: "asking", error: expect.stringContaining("e-mail") });
    },
  );

  it("shows what the portal says when it fails", async () => {
    const failure = new VisavisError({ code: "internal", message: "Something went wrong.", status: 500 });
    const store = new SignInStore({
      requestLink: () => Promise.reject(failure),
      outboxLink: async () => null,
    });
    store.setEmail("ada@example.com");
    await store.request();
    expect(store.get()).toMatchObject({ step: "asking", error: "Something went wrong." });
  });
});
