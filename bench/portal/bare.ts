// The peer: as little as a key check can be. A bare Hono app, one SHA-256, one D1 statement.

import { Hono } from "hono";

/** As much of D1 as is used here. */
interface Database {
  prepare(sql: string): { bind(...values: string[]): { first(): Promise<Record<string, string> | null> } };
}

const app = new Hono<{ Bindings: { DB: Database } }>();

async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

app.get("/read", async (c) => {
  const digest = await digestOf(c.req.header("X-Api-Key") ?? "");
  const row = await c.env.DB.prepare("SELECT * FROM keys WHERE digest = ?").bind(digest).first();
  return row ? c.json(row) : c.json({ code: "invalid_api_key" }, 401);
});

app.post("/write", async (c) => {
  const digest = await digestOf(c.req.header("X-Api-Key") ?? "");
  const { effort } = await c.req.json<{ effort: string }>();
  const row = await c.env.DB.prepare("UPDATE keys SET note = ? WHERE digest = ? RETURNING *")
    .bind(effort, digest)
    .first();
  return row ? c.json(row) : c.json({ code: "invalid_api_key" }, 401);
});

export default app;
