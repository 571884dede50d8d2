import { applyD1Migrations, reset, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";

const { DB, MIGRATIONS } = env as unknown as { DB: D1Database; MIGRATIONS: D1Migration[] };

const listSchema = () =>
  DB.prepare(
    "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
  ).all<{
    name: string;
    type: string;
    sql: string | null;
  }>();

let migrated: { text: string; clear: string[] } | null = null;

/** Emptying the tables is several times as fast as building them again; a test that broke the schema makes that needed. */
beforeEach(async () => {
  const schema = migrated && JSON.stringify((await listSchema()).results);
  if (migrated && schema === migrated.text) {
    await DB.batch(migrated.clear.map((statement) => DB.prepare(statement)));
    return;
  }
  await reset();
  await applyD1Migrations(DB, MIGRATIONS);
  const { results } = await listSchema();
  const tables = results.filter(({ name, type }) => type === "table" && name !== "d1_migrations");
  migrated = {
    text: JSON.stringify(results),
    clear: tables.map(({ name }) => `DELETE FROM "${name}"`),
  };
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
