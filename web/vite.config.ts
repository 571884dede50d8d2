import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const portal = `http://localhost:${process.env["PORTAL_PORT"] ?? 8787}`;

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/",
  plugins: [react()],
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
