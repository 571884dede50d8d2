import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { SQL } from "drizzle-orm";

const dialect = new SQLiteAsyncDialect();

/** A D1 statement from a drizzle template, for `D1Database.batch`: drizzle's own batch on D1 takes no raw templates. */
export function prepare(db: D1Database, query: SQL): D1PreparedStatement {
  const { sql, params } = dialect.sqlToQuery(query);
  return db.prepare(sql).bind(...params);
}
