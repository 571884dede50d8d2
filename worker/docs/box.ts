// The box's routes, laid beside the portal's own in one OpenAPI document.

import type { RouteConfig } from "@hono/zod-openapi";
import { boxRoutes, type BoxBody, type BoxRoute } from "../../contract/box-routes/box-routes.ts";
import { flatErrorSchema, structuredErrorSchema, unwrappedErrorSchema } from "../../contract/errors.ts";
import { boxPolicy } from "../../contract/policies.ts";

const bytes = { type: "string", format: "binary" } as const;

function contentOf(bodies: BoxBody[]): Record<string, object> {
  return Object.fromEntries(bodies.map(({ type, schema }) => [type, { schema: schema ?? bytes }]));
}

function failuresOf({ envelope, failures }: BoxRoute): Record<number, object> {
  const schema = envelope === "flat" ? flatErrorSchema : structuredErrorSchema;
  return Object.fromEntries(
    [401, ...failures, 500].map((status) => [
      status,
      {
        description: "Failure",
        content: { "application/json": { schema: status === 401 ? unwrappedErrorSchema : schema } },
      },
    ]),
  );
}

function parametersOf({ path, query = {} }: BoxRoute): object[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    in: "path",
    name,
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    in: "query",
    name,
    description,
    schema: { type: "string" },
  }));
  return [...inPath, ...inQuery];
}

/** The box's routes as declarations: they are described here and served elsewhere. */
export function boxRouteConfigs(): RouteConfig[] {
  return boxRoutes.map((route) => {
    const { method, path, summary, body, status, answer, also = {} } = route;
    const policy = boxPolicy(method.toUpperCase(), path);
    const content = answer.length > 0 ? { content: contentOf(answer) } : {};
    const others = Object.entries(also).map(([other, description]) => [
      other,
      { description, ...(other === "206" && content) },
    ]);
    return {
      method,
      path,
      summary,
      "x-plane": "box",
      // What a box calls "any" is any credential that a box accepts: the portal's own word for that is "key".
      "x-policy": policy === "any" ? "key" : policy,
      parameters: parametersOf(route),
      request: body ? { body: { required: true, content: contentOf(body) } } : {},
      responses: {
        ...failuresOf(route),
        ...Object.fromEntries(others),
        [status]: { description: summary, ...content },
      },
    } as RouteConfig;
  });
}
