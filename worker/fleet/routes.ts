import { fleetSchema } from "../../contract/fleet.ts";
import { publicStatusSchema } from "../../contract/public.ts";
import { answers, declareRoute, type PortalApp } from "../platform/portal.ts";
import { readFleet, readStatus } from "./fleet.ts";

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

export function mountFleet(app: PortalApp): void {
  app.openapi(fleet, async (c) => c.json(await readFleet(c.var.env.db), 200));
  app.openapi(status, async (c) => c.json(await readStatus(c.var.env.db), 200));
}
