import { afterEach, describe, expect, it, vi } from "vitest";
import { VisavisError } from "../sdk/index.ts";
import { fetchPortal } from "./request.ts";
import { VisitorStore } from "./visitor-store.ts";

afterEach(() => void vi.unstubAllGlobals());

const me = { email: "ada@example.com", admin: false };
const broken = new VisavisError({ code: "internal", message: "Something went wrong.", status: 500 });

function refuseEverything() {
  vi.stubGlobal(
    "fetch",
    async () => new Response('{"code":"invalid_api_key","message":"No."}', { status: 401 }),
  );
}

describe("VisitorStore", () => {
  it("tells members from guests, and a portal that cannot say", async () => {
    const ask = vi.fn<() => Promise<typeof me | null>>();
    const store = new VisitorStore({ me: ask, signOut: async () => undefined });
    ask.mockResolvedValueOnce(null);
    await store.look();
    expect(store.get().visitor).toEqual({ state: "guest", why: "arrived" });
    ask.mockRejectedValueOnce(broken);
    await store.look();
    expect(store.get().visitor).toEqual({ state: "unreachable", error: broken });
    ask.mockResolvedValueOnce(me);
    await store.look();
    expect(store.get().visitor).toEqual({ state: "member", ...me });
  });

  it("ends the stay when any request finds the session gone, once", async () => {
    refuseEverything();
    const left = vi.fn();
    const store = new VisitorStore({ me: async () => me, signOut: async () => undefined });
    const stop = store.watchExpiry();
    store.whileHere({ end: left, free: left });
    await store.look();
    await Promise.allSettled([fetchPortal("/auth/keys"), fetchPortal("/auth/settings")]);
    expect(store.get().visitor).toEqual({ state: "guest", why: "expired" });
    expect(left).toHaveBeenCalledTimes(2);
    stop();
  });

  it("does not call a guest's refusal an expiry", async () => {
    refuseEverything();
    const store = new VisitorStore({ me: async () => null, signOut: async () => undefined });
    const stop = store.watchExpiry();
    await store.look();
    await fetchPortal("/auth/keys").catch(() => undefined);
    expect(store.get().visitor).toEqual({ state: "guest", why: "arrived" });
    stop();
  });

  it("ends what runs before it signs out", async () => {
    const order: string[] = [];
    const store = new VisitorStore({
      me: async () => me,
      signOut: async () => void order.push("signed out"),
    });
    await store.look();
    store.whileHere({
      end: async () => {
        await Promise.resolve();
        order.push("session ended");
      },
      free: () => void order.push("freed"),
    });
    await store.signOut();
    expect(order).toEqual(["session ended", "signed out", "freed"]);
    expect(store.get().visitor).toEqual({ state: "guest", why: "left" });
  });

  it("stays a member when signing out did not work, even if ending the session did not either", async () => {
    const store = new VisitorStore({ me: async () => me, signOut: () => Promise.reject(broken) });
    await store.look();
    const free = vi.fn();
    store.whileHere({ end: () => Promise.reject(new Error("stuck")), free });
    await expect(store.signOut()).rejects.toBe(broken);
    expect(store.get().visitor).toEqual({ state: "member", ...me });
    expect(free).not.toHaveBeenCalled();
  });
});
