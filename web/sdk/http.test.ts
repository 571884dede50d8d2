import { afterEach, describe, expect, it, vi } from "vitest";
import { Credentials } from "./credentials.ts";
import { Http } from "./http.ts";
import { FakeService } from "./testing/fake-service.ts";

afterEach(() => void vi.unstubAllGlobals());

const baseUrl = "https://face.test/";

describe("Http", () => {
  it("presents the credential in the header, and in the query of a socket only", async () => {
    const service = new FakeService().on("GET /api/avatars", () => ({ body: { avatars: [] } })).install();
    const http = new Http({ baseUrl, credentials: new Credentials({ credential: "vv_live_a+b" }) });
    await http.json("/api/avatars");
    expect(service.asked[0]).toMatchObject({ path: "/api/avatars", key: "vv_live_a+b" });
    expect(await http.socketUrl("/api/session/ws", { a: "1" })).toBe(
      "wss://face.test/api/session/ws?a=1&session_token=vv_live_a%2Bb",
    );
  });

  it("tries a 401 once more with a fresh credential", async () => {
    const service = new FakeService()
      .on("GET /api/avatars", ({ key }) =>
        key === "new"
          ? { body: {} }
          : { status: 401, body: { code: "invalid_api_key", message: "Not recognised." } },
      )
      .install();
    const secrets = ["old", "new"];
    const getCredential = vi.fn(async () => secrets.shift() ?? "none");
    await new Http({ baseUrl, credentials: new Credentials({ getCredential }) }).json("/api/avatars");
    expect(service.asked.map((asked) => asked.key)).toEqual(["old", "new"]);
  });

  it("does not renew for a scope that will stay too small, nor more than once", async () => {
    const answers = [
      { status: 401, body: { code: "insufficient_scope", message: "A full key is needed." } },
      { status: 401, body: { code: "invalid_api_key", message: "No." } },
      { status: 401, body: { code: "invalid_api_key", message: "No." } },
    ];
    const service = new FakeService().on("GET /api/stats", () => answers.shift() ?? { body: {} }).install();
    const getCredential = vi.fn(async () => "key");
    const http = new Http({ baseUrl, credentials: new Credentials({ getCredential }) });
    await expect(http.json("/api/stats")).rejects.toMatchObject({ code: "insufficient_scope", status: 401 });
    expect(service.asked).toHaveLength(1);
    await expect(http.json("/api/stats")).rejects.toMatchObject({ code: "invalid_api_key" });
    expect(service.asked).toHaveLength(3);
  });

  it("names what went wrong: no network, no JSON, aborted", async () => {
    new FakeService().on("GET /html", () => ({ body: "<html>" })).install();
    const http = new Http({ baseUrl, credentials: new Credentials({}) });
    await expect(http.request("/nowhere")).rejects.toMatchObject({ code: "network", status: null });
    await expect(http.json("/html")).rejects.toMatchObject({ code: "invalid_answer" });
    const signal = AbortSignal.abort();
    await expect(http.request("/html", { signal })).rejects.toMatchObject({ code: "aborted" });
  });
});
