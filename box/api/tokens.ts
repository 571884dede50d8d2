// Stream-only tokens, for pages that must not hold a key.

import { Hono } from "hono";
import { createTokenRequestSchema } from "../../contract/credentials.ts";
import type { Services } from "../services.ts";
import { readJson } from "./body.ts";
import { callerOf, type BoxEnv } from "./env.ts";

export function tokenRoutes({ access }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.post("/v1/streaming.create_token", async (c) => {
    const caller = callerOf(c);
    access.requireMinter(caller);
    const { ttl_seconds: ttlSeconds, ttl } = await readJson(c, createTokenRequestSchema, { empty: {} });
    const asking = {
      method: c.req.method,
      url: new URL(c.req.url),
      header: (name: string) => c.req.header(name),
      upgrade: false,
    };
    const { token, expires_at } = await access.mint(caller, asking, ttlSeconds ?? ttl);
    c.header("Cache-Control", "no-store");
    return c.json({ data: { token, expires_at, scope: "tts" } });
  });

  return app;
}
