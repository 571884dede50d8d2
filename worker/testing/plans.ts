// How the database goes about what a store asks of it.

import { db } from "./portal.ts";

/** The steps that SQLite plans for every statement of `work`: https://www.sqlite.org/eqp.html */
export async function plansOf(work: (observed: D1Database) => Promise<unknown>): Promise<string[]> {
  const asked: [sql: string, parameters: unknown[]][] = [];
  const observed = new Proxy(db, {
    get(target, name) {
      if (name === "prepare") {
        return (sql: string) => {
          const statement = target.prepare(sql);
          return new Proxy(statement, {
            get(plain, method) {
              if (method === "bind") {
                return (...parameters: unknown[]) => {
                  asked.push([sql, parameters]);
                  return plain.bind(...parameters);
                };
              }
              const value: unknown = Reflect.get(plain, method);
              return typeof value === "function" ? value.bind(plain) : value;
            },
          });
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await work(observed);
  const steps: string[] = [];
  for (const [sql, parameters] of asked) {
    const { results } = await db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...parameters)
      .all<{ detail: string }>();
    steps.push(...results.map(({ detail }) => detail));
  }
  if (steps.length === 0) throw new Error("Nothing was asked of the database.");
  return steps;
}
