import { afterEach, describe, expect, it, vi } from "vitest";
import { onThisOrigin, portal } from "./portal.ts";

afterEach(() => void vi.unstubAllGlobals());

const link = (token: string) => `http://localhost:8787/auth/callback?token=${token}`;
const mail = (to: string, token: string | null) => ({
  id: "m",
  to,
  subject: "Sign in",
  text: "",
  link: token && link(token),
  sent_at: 1,
});

function answer(body: string, init: ResponseInit & { type?: string } = {}) {
  const headers = { "Content-Type": init.type ?? "application/json" };
  const fetch = vi.fn(async (_path: string, _init?: RequestInit) => new Response(body, { ...init, headers }));
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("location", { origin: "http://127.0.0.1:8787" });
  return fetch;
}

describe("portal", () => {
  it("knows who is signed in, who is not, and when it cannot tell", async () => {
    answer('{"email":"ada@example.com","admin":false}');
    expect(await portal.me()).toEqual({ email: "ada@example.com", admin: false });
    answer('{"code":"missing_api_key","message":"Sign in."}', { status: 401 });
    expect(await portal.me()).toBeNull();
    answer('{"error":{"code":"internal","message":"Broken."}}', { status: 500 });
    await expect(portal.me()).rejects.toMatchObject({ code: "internal", status: 500 });
  });

  it("finds the newest link of the address asked for, on the page's own origin", async () => {
    const mails = [
      mail("bob@example.com", "b"),
      mail("Ada@example.com", null),
      mail("ada@Example.com", "new"),
      mail("ada@example.com", "old"),
    ];
    answer(JSON.stringify({ mails }));
    expect(await portal.outboxLink("ADA@example.com ")).toBe("http://127.0.0.1:8787/auth/callback?token=new");
  });

  it("is not taken in by a page that answers for the outbox", async () => {
    answer("<!doctype html>", { type: "text/html" });
    expect(await portal.outboxLink("ada@example.com")).toBeNull();
    answer('{"error":{"code":"not_found","message":"No."}}', { status: 404 });
    expect(await portal.outboxLink("ada@example.com")).toBeNull();
  });

  it("unwraps the box credential", async () => {
    const fetch = answer(
      '{"credential":{"secret":"vv_ses_x","expires_at":9,"expires_in":3600,"scope":"full"}}',
      {
        status: 201,
      },
    );
    expect(await portal.sessionCredential()).toMatchObject({ secret: "vv_ses_x", expires_in: 3600 });
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: "POST", credentials: "same-origin" });
  });
});

describe("onThisOrigin", () => {
  it("keeps path and query, and never leads away", () => {
    expect(onThisOrigin("https://evil.test/auth/callback?token=1#x", "http://localhost:8787")).toBe(
      "http://localhost:8787/auth/callback?token=1",
    );
  });
});
