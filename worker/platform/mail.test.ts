import { describe, expect, test, vi } from "vitest";
import worker from "../index.ts";
import { bindings, captureLog } from "../testing/portal.ts";

const env = {
  ...bindings,
  ENVIRONMENT: "production",
  PORTAL_URL: "https://portal.example.com",
  MAIL: "resend",
  MAIL_FROM: "Visàvis <hello@example.com>",
  RESEND_API_KEY: "re_key-of-the-mail-provider",
};

/** Asks for a link and waits for what goes on after the answer. */
async function askForLink(): Promise<Response> {
  const pending: Promise<unknown>[] = [];
  const context = {
    waitUntil: (promise: Promise<unknown>) => pending.push(promise),
    passThroughOnException() {},
    props: {},
  } as unknown as ExecutionContext;
  const request = new Request("https://attacker.example.com/auth/request-link", {
    method: "POST",
    body: JSON.stringify({ email: "ann@example.com" }),
  });
  const response = await worker.fetch(request as never, env, context);
  await Promise.all(pending);
  return response;
}

describe("mail through Resend", () => {
  test("carries a link to the configured origin, whatever host the request named", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ id: "1" }));
    expect((await askForLink()).status).toBe(200);
    expect(fetched).toHaveBeenCalledOnce();
    const [url, init] = fetched.mock.calls[0] ?? [];
    expect(url).toBe("https://api.resend.com/emails");
    expect(new Headers(init?.headers).get("Authorization")).toBe(`Bearer ${env.RESEND_API_KEY}`);
    const sent = JSON.parse(String(init?.body));
    expect(sent).toMatchObject({ from: env.MAIL_FROM, to: ["ann@example.com"] });
    expect(sent.text).toMatch(/https:\/\/portal\.example\.com\/auth\/callback\?token=[0-9A-Za-z]{43}\n/);
  });

  test.each([
    ["refuses", async () => new Response("ann@example.com is blocked", { status: 422 })],
    ["cannot be reached", async () => Promise.reject(new TypeError("connection refused"))],
  ])("a provider that %s changes no answer and leaves one line", async (_label, answer) => {
    const lines = captureLog();
    vi.spyOn(globalThis, "fetch").mockImplementation(answer);
    const response = await askForLink();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ ok: true });
    const failed = lines.filter((line) => line.includes('"event":"mail_failed"'));
    expect(failed).toHaveLength(1);
    expect(failed[0]).not.toContain("ann@example.com");
    expect(lines.join()).not.toContain(env.RESEND_API_KEY);
  });
});
