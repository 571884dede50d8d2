import { z } from "@hono/zod-openapi";
import { modelStatusSchema } from "../../contract/models.ts";
import { modelListSchema } from "../../contract/public.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, type PortalApp } from "../platform/portal.ts";
import { readCatalogue, readStatus, warmModel } from "./models.ts";

const list = declareRoute("any", {
  method: "get",
  path: "/v1/public/models",
  responses: { 200: answers(modelListSchema, "The model catalogue") },
});

const params = z.object({ id: z.string() });

const warm = declareRoute("portal-or-full-key", {
  method: "post",
  path: "/auth/models/{id}/warm",
  request: { params },
  responses: { 200: answers(modelStatusSchema, "The model answers, or is being switched on") },
});

const status = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/models/{id}/status",
  request: { params },
  responses: { 200: answers(modelStatusSchema, "How the model last answered") },
});

export function mountModels(app: PortalApp): void {
  app.openapi(list, async (c) => c.json({ models: await readCatalogue(c.var.env) }, 200));

  app.openapi(warm, async (c) => {
    const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
    return c.json(unwrap(await warmModel(c.var.env, c.req.valid("param").id, later)), 200);
  });

  app.openapi(status, async (c) => c.json(unwrap(await readStatus(c.var.env, c.req.valid("param").id)), 200));
}
