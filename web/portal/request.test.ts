import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { fetchPortal, onSessionExpired, requestPortal } from "./request.ts";

afterEach(() => void vi.unstubAllGlobals());

const schema = z.object({ answer: z.int() });

function answer(body: string, init: ResponseInit = {}) {
  const fetch = vi.fn(async (_path: string, _init?: RequestInit) => new Response(body, init));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

describe("requestPortal", () => {
  it("sends JSON with the cookie and reads the answer by the contract", async () => {
    const fetch = answer('{"answer":42,"news":true}');
    expect(await requestPortal("/auth/x", schema, { method: "PUT", json: { a: 1 } })).toEqual({ answer: 42 });
    expect(fetch.mock.calls[0]).toMatchObject([
      "/auth/x",
      {
        method: "PUT",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json" },
        body: '{"a":1}',
      },
    ]);
  });

  it("sends no body and no type with a plain read", async () => {
    const fetch = answer('{"answer":1}');
    await requestPortal("/auth/x", schema);
    expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty("body");
    expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty("headers");
  });

  it.each(["<!doctype html>", "", '{"answer":"many"}', "[]"])("refuses %j as an answer", async (body) => {
    answer(body);
    await expect(requestPortal("/auth/x", schema)).rejects.toMatchObject({
      code: "invalid_answer",
      status: 200,
    });
  });

  it("throws the portal's own code and sentence", async () => {
    answer('{"error":{"code":"key_not_found","message":"You have no such key."}}', { status: 404 });
    await expect(requestPortal("/auth/x", schema)).rejects.toMatchObject({
      code: "key_not_found",
      message: "You have no such key.",
      status: 404,
    });
  });

  it("tells a network that failed from an answer that was late", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(fetchPortal("/auth/x")).rejects.toMatchObject({ code: "network", status: null });
    vi.stubGlobal("fetch", (_path: string, init: RequestInit) => {
      return new Promise((_resolve, reject) => {
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      });
    });
    await expect(fetchPortal("/auth/x", { timeoutMs: 1 })).rejects.toMatchObject({ code: "timeout" });
    const controller = new AbortController();
    const cancelled = fetchPortal("/auth/x", { signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "aborted" });
  });

  it("tells that the session has ended, unless nobody needed one", async () => {
    answer('{"code":"invalid_api_key","message":"Sign in."}', { status: 401 });
    const expired = vi.fn();
    const stop = onSessionExpired(expired);
    await expect(fetchPortal("/auth/me", { anonymous: true })).rejects.toMatchObject({ status: 401 });
    expect(expired).not.toHaveBeenCalled();
    await expect(fetchPortal("/auth/keys")).rejects.toMatchObject({ code: "invalid_api_key" });
    expect(expired).toHaveBeenCalledOnce();
    stop();
    await expect(fetchPortal("/auth/keys")).rejects.toMatchObject({ status: 401 });
    expect(expired).toHaveBeenCalledOnce();
  });
});
