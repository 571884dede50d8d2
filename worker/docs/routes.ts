// The API's description for programs. Its page for people is a static file that reads it.

import { z } from "@hono/zod-openapi";
import { answers, declareRoute, type PortalApp } from "../platform/portal.ts";
import { describeApi } from "./openapi.ts";

const document = declareRoute("public", {
  method: "get",
  path: "/static/openapi.json",
  responses: { 200: answers(z.looseObject({ openapi: z.literal("3.1.0") }), "This document") },
});

/** Mounted after every other declaration: it describes what was declared before it. */
export function mountDocs(app: PortalApp): void {
  let text: string | null = null;
  app.openapi(document, (c) => {
    text ??= JSON.stringify(describeApi(app));
    return c.body(text, 200, {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=300",
      "Access-Control-Allow-Origin": "*",
    }) as never;
  });
}
