import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { unstable_readConfig } from "wrangler";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));
const { compatibility_date: compatibilityDate } = unstable_readConfig({ config: `${root}wrangler.toml` });

// The tests run inside workerd on a real D1. The bindings are named here rather than read from wrangler.toml, since that
// also names the built pages, which a test must not need.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [
    cloudflareTest(async () => ({
      main: "./index.ts",
      miniflare: {
        compatibilityDate,
        d1Databases: ["DB", "LEDGER"],
        r2Buckets: ["MEDIA"],
        kvNamespaces: ["KV"],
        serviceBindings: {
          ASSETS: (request: Request) => {
            const { pathname } = new URL(request.url);
            const type =
              pathname === "/" ? "text/html" : pathname.startsWith("/assets/") ? "text/javascript" : null;
            return type
              ? new Response("built", {
                  headers: { "Content-Type": type, "Cache-Control": "public, max-age=0" },
                })
              : new Response(null, { status: 404 });
          },
        },
        // Whatever the portal fetches reaches this Worker, so that no test leaves the machine.
        outboundService: "echo-box",
        workers: [
          {
            name: "echo-box",
            compatibilityDate,
            modules: true,
            scriptPath: `${root}worker/testing/echo-box.js`,
          },
        ],
        bindings: {
          ENVIRONMENT: "local",
          ADMIN_EMAILS: "admin@example.com",
          BOX_SECRETS: "box-a:secret-of-box-a-0123456789,box-b:secret-of-box-b-0123456789",
          IDENTITY_JWKS_URL: "https://identity.test/jwks.json",
          IDENTITY_ISSUER: "https://identity.test/",
          IDENTITY_AUDIENCE: "visavis",
          ANTHROPIC_API_KEY: "only-its-presence-matters",
          VAULT_KEY: "ab".repeat(32),
          MIGRATIONS: await readD1Migrations(`${root}migrations/portal`),
          LEDGER_MIGRATIONS: await readD1Migrations(`${root}migrations/ledger`),
        },
      },
    })),
  ],
  test: {
    include: ["**/*.test.ts"],
    setupFiles: ["./testing/setup.ts"],
    // Each test starts from empty tables, so all files may share one runtime: starting one a file takes longer than the tests.
    isolate: false,
    maxWorkers: 1,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
