import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Credentials } from "./credentials.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("Credentials", () => {
  it("hands out a fixed credential and cannot renew it", async () => {
    const credentials = new Credentials({ credential: "vv_live_x" });
    expect(await credentials.get()).toBe("vv_live_x");
    expect(credentials.renewable).toBe(false);
    await expect(credentials.renew()).rejects.toMatchObject({ code: "credential_unavailable" });
  });

  it("has nothing to present against an open box", async () => {
    expect(await new Credentials({}).get()).toBeNull();
  });

  it("fetches once for callers at the same time, and again a minute before the end", async () => {
    let count = 0;
    const getCredential = vi.fn(async () => ({ secret: `s${++count}`, expires_in: 3600 }));
    const credentials = new Credentials({ getCredential });
    expect(await Promise.all([credentials.get(), credentials.get()])).toEqual(["s1", "s1"]);
    expect(credentials.renewInMs()).toBe(3540_000);
    vi.advanceTimersByTime(3539_000);
    expect(await credentials.get()).toBe("s1");
    vi.advanceTimersByTime(1000);
    expect(await credentials.get()).toBe("s2");
    expect(getCredential).toHaveBeenCalledTimes(2);
  });

  it("keeps a short-lived credential for half of its life rather than renew without end", async () => {
    const getCredential = vi.fn(async () => ({ secret: "s", expires_in: 40 }));
    const credentials = new Credentials({ getCredential });
    await credentials.get();
    vi.advanceTimersByTime(19_000);
    await credentials.get();
    expect(getCredential).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1000);
    await credentials.get();
    expect(getCredential).toHaveBeenCalledTimes(2);
  });

  it("tries again after a failure", async () => {
    const getCredential = vi
      .fn()
      .mockRejectedValueOnce(new TypeError("offline"))
      .mockResolvedValueOnce("fresh");
    const credentials = new Credentials({ getCredential });
    await expect(credentials.get()).rejects.toMatchObject({ code: "credential_unavailable" });
    expect(await credentials.get()).toBe("fresh");
  });
});
