import { defineConfig } from "drizzle-kit";

// Run from the repository root: `drizzle-kit generate --config worker/drizzle.ledger.config.ts`.
export default defineConfig({
  dialect: "sqlite",
  schema: "./worker/platform/schema/ledger.ts",
  out: "./migrations/ledger",
});
