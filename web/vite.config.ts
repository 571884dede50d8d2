import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const portal = `http://localhost:${process.env["PORTAL_PORT"] ?? 8787}`;

/** The API page shows `/static/openapi.json` with Swagger UI, whose files are served from here, not from a CDN. */
function apiPage(): Plugin {
  const source = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const names = ["swagger-ui.css", "swagger-ui-bundle.js"];
  return {
    name: "api-page",
    apply: "build",
    generateBundle() {
      for (const name of names) {
        this.emitFile({
          type: "asset",
          fileName: `static/docs/${name}`,
          source: readFileSync(join(source, name)),
        });
      }
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/",
  plugins: [react(), apiPage()],
  // Whatever chunk makes a schema, and whenever that is loaded: zod is told how to behave before.
  resolve: {
    alias: [{ find: /^zod$/, replacement: fileURLToPath(new URL("no-eval.ts", import.meta.url)) }],
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file of its own, so that a strict Content-Security-Policy needs no data: source.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      ["/auth", "/api", "/v1", "/connect", "/disconnect", "/dev", "/health"].map((path) => [
        path,
        { target: portal, ws: true },
      ]),
    ),
  },
});
