import { describe, expect, test } from "vitest";
import { callWith } from "./testing/altered.ts";
import { call } from "./testing/portal.ts";

async function policyOf(page: Promise<Response>): Promise<Map<string, string>> {
  const header = (await page).headers.get("Content-Security-Policy") ?? "";
  return new Map(
    header.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );
}

describe("transport security", () => {
  test.each(["/health", "/", "/auth/keys", "/api/avatars"])(
    "%s asks for https over https alone",
    async (path) => {
      const over = async (scheme: string) =>
        (await call(`${scheme}://localhost:8787${path}`)).headers.get("Strict-Transport-Security");
      expect(await over("https")).toBe("max-age=63072000; includeSubDomains");
      expect(await over("http")).toBeNull();
    },
  );
});

describe("what a page may do", () => {
  test.each(["/", "/studio", "/assets/index-C4bXz_91.js"])(
    "%s runs its own scripts in its own window",
    async (path) => {
      const policy = await policyOf(call(path, { headers: { Accept: "text/html" } }));
      expect(Object.fromEntries(policy)).toMatchObject({
        "default-src": "'self'",
        "script-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "object-src": "'none'",
        "form-action": "'self'",
      });
    },
  );

  test("a local bucket is the page's own origin, and sockets go to its own host", async () => {
    const policy = await policyOf(call("/"));
    expect(policy.get("connect-src")).toBe("'self' ws://localhost:8787");
    expect((await policyOf(call("https://faces.test/"))).get("connect-src")).toBe("'self' wss://faces.test");
    expect(policy.get("img-src")).toBe("'self' blob: data:");
    expect(policy.get("media-src")).toBe("'self' blob:");
  });

  test("a bucket elsewhere is named by its origin alone", async () => {
    const bucket = {
      S3_ENDPOINT: "https://account.storage.test/path",
      S3_BUCKET: "media",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "secret",
    };
    const policy = await policyOf(callWith(bucket, "/"));
    for (const name of ["img-src", "media-src", "connect-src"]) {
      expect(policy.get(name)).toMatch(/ https:\/\/account\.storage\.test$/);
    }
    expect(policy.get("script-src")).toBe("'self'");
  });
});
