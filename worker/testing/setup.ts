import { applyD1Migrations, reset, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";

const { DB, LEDGER, MEDIA, KV, MIGRATIONS, LEDGER_MIGRATIONS } = env as unknown as {
  DB: D1Database;
  LEDGER: D1Database;
  MEDIA: R2Bucket;
  KV: KVNamespace;
  MIGRATIONS: D1Migration[];
  LEDGER_MIGRATIONS: D1Migration[];
};

const databases = [
  { db: DB, migrations: MIGRATIONS },
  { db: LEDGER, migrations: LEDGER_MIGRATIONS },
];

const listSchema = (db: D1Database) =>
  db
    .prepare(
      "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
    )
    .all<{ name: string; type: string; sql: string | null }>();

const readSchemas = async () => Promise.all(databases.map(async ({ db }) => (await listSchema(db)).results));

let migrated: { text: string; clear: string[][] } | null = null;

async function emptyStores(): Promise<void> {
  const { objects } = await MEDIA.list();
  if (objects.length > 0) await MEDIA.delete(objects.map(({ key }) => key));
  const { keys } = await KV.list();
  await Promise.all(keys.map(({ name }) => KV.delete(name)));
}

/** Emptying the tables is several times as fast as building them again; a test that broke the schema makes that needed. */
beforeEach(async () => {
  const schemas = migrated && JSON.stringify(await readSchemas());
  if (migrated && schemas === migrated.text) {
    const { clear } = migrated;
    await Promise.all(
      databases.map(({ db }, at) => db.batch((clear[at] ?? []).map((statement) => db.prepare(statement)))),
    );
    await emptyStores();
    return;
  }
  await reset();
  for (const { db, migrations } of databases) await applyD1Migrations(db, migrations);
  const found = await readSchemas();
  migrated = {
    text: JSON.stringify(found),
    clear: found.map((objects) =>
      objects
        .filter(({ name, type }) => type === "table" && name !== "d1_migrations")
        .map(({ name }) => `DELETE FROM "${name}"`),
    ),
  };
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
