import { modelListSchema } from "../../contract/public.ts";
import { answers, declareRoute, type PortalApp } from "../platform/portal.ts";
import { catalogueOf } from "./models.ts";

const list = declareRoute("any", {
  method: "get",
  path: "/v1/public/models",
  responses: { 200: answers(modelListSchema, "The model catalogue") },
});

export function mountModels(app: PortalApp): void {
  app.openapi(list, (c) => c.json({ models: catalogueOf(c.var.env) }, 200));
}
