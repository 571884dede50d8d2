// Model readiness as this box sees it; kept for older clients.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function modelRoutes({ models }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  // Ids hold dots and colons, and may come percent-encoded: the router decodes them.
  app.post("/api/models/:id/warm", async (c) => {
    const status = await models.readiness.warm(c.req.param("id"));
    c.header("Cache-Control", "no-store");
    return c.json(status);
  });

  app.get("/api/models/:id/status", (c) => {
    c.header("Cache-Control", "no-store");
    return c.json(models.readiness.status(c.req.param("id")));
  });

  return app;
}
