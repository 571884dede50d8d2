import { afterEach, describe, expect, it, vi } from "vitest";
import { voicesApi } from "./voices-api.ts";

afterEach(() => void vi.unstubAllGlobals());

const json = (status: number, body: object) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
const failure = (status: number, code: string) => json(status, { error: { code, message: `Said ${code}.` } });
const grant = () =>
  json(201, { credential: { secret: "vv_ses_x", expires_at: 9, expires_in: 3600, scope: "full" } });

function serve(routes: Record<string, () => Response>) {
  const fetch = vi.fn(async (path: string, _init?: RequestInit) => {
    const route = routes[path];
    if (!route) throw new Error(`Nobody expected ${path}.`);
    return route();
  });
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

const speak = (provider: "local" | "cartesia") =>
  voicesApi.speak({ provider, voice: "en", text: "Hello" }, new AbortController().signal);

describe("speaking a line of one's own", () => {
  it("is the portal's work where the caller has a key", async () => {
    const fetch = serve({ "/auth/voices/preview": () => new Response("wav") });
    expect(await (await speak("cartesia")).text()).toBe("wav");
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("is a box's work with the built-in engine", async () => {
    const fetch = serve({
      "/auth/voices/preview": () => failure(503, "voice_unavailable"),
      "/auth/session/credential": grant,
      "/api/voice/preview": () => new Response("wav of a box"),
    });
    expect(await (await speak("local")).text()).toBe("wav of a box");
    const [, init] = fetch.mock.calls.at(-1) ?? [];
    expect(init?.headers).toMatchObject({ "X-Api-Key": "vv_ses_x" });
    expect(JSON.parse(String(init?.body))).toEqual({ provider: "local", voice: "en", text: "Hello" });
  });

  it.each([
    [503, "box_unavailable"],
    [404, "not_found"],
  ])("says that no box can, after %i %s", async (status, code) => {
    serve({
      "/auth/voices/preview": () => failure(503, "voice_unavailable"),
      "/auth/session/credential": grant,
      "/api/voice/preview": () => failure(status, code),
    });
    await expect(speak("local")).rejects.toMatchObject({ code, message: expect.stringMatching(/No box/) });
  });

  it("passes on every other refusal", async () => {
    serve({ "/auth/voices/preview": () => failure(503, "voice_unavailable") });
    await expect(speak("cartesia")).rejects.toMatchObject({ message: "Said voice_unavailable." });
    serve({ "/auth/voices/preview": () => failure(429, "preview_rate_limited") });
    await expect(speak("local")).rejects.toMatchObject({ message: "Said preview_rate_limited." });
  });
});
