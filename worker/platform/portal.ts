// The application every route hangs on, and how a route is declared.

import { createRoute, OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { structuredErrorSchema, unwrappedErrorSchema } from "../../contract/errors.ts";
import type { Policy } from "../access/policy.ts";
import { guard } from "../access/guard.ts";
import type { ReadAlong } from "../access/store.ts";
import { jsonBody } from "./body.ts";
import type { Portal } from "./context.ts";
import { envelopeOf, refuse } from "./errors.ts";

export type PortalApp = OpenAPIHono<Portal>;

/** One sentence on the first thing that is wrong with a body, query or path. */
export function explainIssues(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "The request is not valid.";
  if (issue.code === "unrecognized_keys") {
    const where = issue.path.length > 0 ? ` in "${issue.path.join(".")}"` : "";
    return `Unknown field "${issue.keys.join('", "')}"${where}.`;
  }
  const where = issue.path.length > 0 ? `"${issue.path.join(".")}": ` : "";
  return `${where}${issue.message}`;
}

export function createPortalApp(): PortalApp {
  return new OpenAPIHono<Portal>({
    defaultHook: (result) => {
      if (!result.success) refuse("invalid_body", explainIssues(result.error));
    },
  });
}

/** An answer in a route's declaration. */
export function answers<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** A required JSON body in a route's declaration. */
export function takes<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } };
}

const failureStatuses = [400, 401, 404, 409, 413, 500, 503] as const;

/**
 * Declares a route: who may call it, what it takes and what it answers. The guard and the body reader are mounted by
 * the declaration itself, so a route without a policy cannot exist. `along` is read in the same statement as the
 * caller's credential and left in `c.var.along`.
 */
export function declareRoute<P extends string, R extends Omit<RouteConfig, "path"> & { path: P }>(
  policy: Policy,
  config: R,
  { along }: { along?: ReadAlong } = {},
) {
  const structured = envelopeOf(config.path) === "structured";
  const failures = Object.fromEntries(
    failureStatuses.map((status) => [
      status,
      answers(structured && status !== 401 ? structuredErrorSchema : unwrappedErrorSchema, "Failure"),
    ]),
  );
  const middleware: MiddlewareHandler<Portal>[] = [guard(policy, along)];
  if (config.request?.body) middleware.push(jsonBody);
  const declared: R = { ...config, responses: { ...failures, ...config.responses } };
  return createRoute<P, R>({ ...declared, "x-policy": policy, middleware });
}
