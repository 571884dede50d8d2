// Stores that fail on purpose, one at a time.

import type { Bindings } from "../platform/env.ts";
import { bindings } from "./portal.ts";

/** What a failing store says of itself; no answer and no log line of ours may be built on these words. */
export const faultWords = "the store is out of order";

const fail = () => {
  throw new Error(faultWords);
};

/** A binding whose every method throws. */
export function outOfOrder<T extends object>(): T {
  return new Proxy({}, { get: (_, name) => (name === "then" ? undefined : fail) }) as T;
}

/** A database that fails every statement which names a table that `works` does not match. */
export function databaseWhereOnly(works: RegExp, db: D1Database = bindings.DB): D1Database {
  const named = /\b(?:from|into|update|join)\s+["`]?(\w+)/gi;
  return new Proxy(db, {
    get(target, name) {
      if (name === "prepare") {
        return (sql: string) => {
          const tables = [...sql.matchAll(named)].flatMap(([, table]) => table ?? []);
          if (!tables.every((table) => works.test(table))) fail();
          return target.prepare(sql);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The bindings with some of them replaced. */
export const bindingsWith = (changes: Partial<Bindings>): Bindings => ({ ...bindings, ...changes });

/** Every row of every table, as text: equal before and after exactly when nothing was written. */
export async function contentOf(db: D1Database): Promise<string> {
  const { results: tables } = await db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
    .all<{ name: string }>();
  const rows = await Promise.all(
    tables.map(async ({ name }) => [name, (await db.prepare(`SELECT * FROM "${name}"`).all()).results]),
  );
  return JSON.stringify(rows.sort());
}
