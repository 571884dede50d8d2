import { z } from "@hono/zod-openapi";
import {
  boxStartedSchema,
  boxStartRequestSchema,
  fleetRowAnswerSchema,
  fleetSchema,
} from "../../contract/fleet.ts";
import { publicStatusSchema } from "../../contract/public.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { readFleet, readStatus } from "./fleet.ts";
import { drainBox, startBox, stopBox } from "./lifecycle.ts";

const named = { params: z.object({ id: z.string() }) };

const fleet = declareRoute("admin", {
  method: "get",
  path: "/auth/admin/fleet",
  responses: { 200: answers(fleetSchema, "Every known box, newest heartbeat first") },
});

const status = declareRoute("any", {
  method: "get",
  path: "/v1/public/status",
  responses: { 200: answers(publicStatusSchema, "How many boxes are in each state") },
});

const start = declareRoute("admin", {
  method: "post",
  path: "/auth/admin/boxes",
  request: { body: takes(boxStartRequestSchema) },
  responses: { 202: answers(boxStartedSchema, "The driver was told to start a box of this id") },
});

const drain = declareRoute("admin", {
  method: "post",
  path: "/auth/admin/boxes/{id}/drain",
  request: named,
  responses: { 200: answers(fleetRowAnswerSchema, "No new session goes to the box") },
});

const undrain = declareRoute("admin", {
  method: "post",
  path: "/auth/admin/boxes/{id}/undrain",
  request: named,
  responses: { 200: answers(fleetRowAnswerSchema, "New sessions go to the box again") },
});

const stop = declareRoute("admin", {
  method: "post",
  path: "/auth/admin/boxes/{id}/stop",
  request: named,
  responses: { 200: answers(fleetRowAnswerSchema, "The driver was told to stop the box") },
});

export function mountFleet(app: PortalApp): void {
  app.openapi(fleet, async (c) => c.json(await readFleet(c.var.env.db), 200));
  app.openapi(status, async (c) => c.json(await readStatus(c.var.env.db), 200));

  app.openapi(start, async (c) => {
    const { env, caller } = c.var;
    const { region } = c.req.valid("json");
    const portalUrl = env.portalOrigin ?? new URL(c.req.url).origin;
    return c.json(unwrap(await startBox(env, { region, by: caller.account, portalUrl })), 202);
  });

  app.openapi(drain, async (c) =>
    c.json({ box: unwrap(await drainBox(c.var.env.db, c.req.valid("param").id, true)) }, 200),
  );
  app.openapi(undrain, async (c) =>
    c.json({ box: unwrap(await drainBox(c.var.env.db, c.req.valid("param").id, false)) }, 200),
  );
  app.openapi(stop, async (c) =>
    c.json({ box: unwrap(await stopBox(c.var.env, c.req.valid("param").id)) }, 200),
  );
}
