import { defineConfig } from "drizzle-kit";

// Run from the repository root: `drizzle-kit generate --config worker/drizzle.config.ts`.
export default defineConfig({
  dialect: "sqlite",
  schema: ["access", "avatars", "boxes", "media", "sessions", "settings", "voices"].map(
    (name) => `./worker/platform/schema/${name}.ts`,
  ),
  out: "./migrations/portal",
});
