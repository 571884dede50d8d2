import { Hono } from "hono";
import type { z } from "zod";
import type { boxHealthSchema } from "../../contract/health.ts";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";
import { statusPage } from "./page.ts";

export function healthRoutes({ config, version, slot }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/health", (c) => {
    const health: z.infer<typeof boxHealthSchema> = {
      ok: true,
      service: "box",
      version,
      commit: config.commit,
      state: slot.state,
      uptime_s: Math.round(process.uptime() * 10) / 10,
    };
    c.header("Cache-Control", "no-store");
    return c.json(health);
  });

  app.get("/", (c) => {
    c.header(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
    c.header("Cache-Control", "no-store");
    return c.html(statusPage({ version, state: slot.state, uptimeSeconds: process.uptime() }));
  });

  return app;
}
