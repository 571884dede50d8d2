// The front door: every box path, whatever its method.

import type { MiddlewareHandler } from "hono";
import { preflightHeaders, sharedHeaders } from "../../contract/cors.ts";
import { limits } from "../../contract/limits.ts";
import { boxPolicy, isBoxPath } from "../../contract/policies.ts";
import { guard } from "../access/guard.ts";
import { isWebSocketUpgrade } from "../access/presented.ts";
import { failures } from "../access/policy.ts";
import { Refusal, refuse } from "../platform/errors.ts";
import { log } from "../platform/log.ts";
import type { Portal, PortalContext } from "../platform/context.ts";
import type { PortalApp } from "../platform/portal.ts";
import { routeRequest } from "./door.ts";
import { passOn } from "./proxy.ts";

const retryAfter = { "Retry-After": String(limits.heartbeatSeconds) };

function unavailable(message: string): never {
  return refuse("box_unavailable", message, retryAfter);
}

/** A request may be tried on a second box only if the first cannot have acted on it. */
function isRepeatable(request: Request): boolean {
  return request.body === null && (request.method !== "POST" || isWebSocketUpgrade(request));
}

async function toBox(c: PortalContext): Promise<Response> {
  const request = c.req.raw;
  const { destinations, giveBack } = await routeRequest(c.var.env.db, {
    method: request.method,
    path: c.req.path,
    caller: c.var.caller,
  });
  if (destinations.length === 0) unavailable("No box is free right now. Try again in a moment.");
  const tries = isRepeatable(request) ? destinations : destinations.slice(0, 1);
  for (const { boxId, origin } of tries) {
    const answer = await passOn({ request, origin, requestId: c.var.requestId });
    if (answer) {
      if (answer.status >= 400) await giveBack();
      return answer;
    }
    log("warn", "box_unreachable", { box: boxId, request_id: c.var.requestId });
  }
  await giveBack();
  return unavailable("The box cannot be reached. Try again in a moment.");
}

const requireKey = guard("key");

const door: MiddlewareHandler<Portal> = async (c, next) => {
  if (!isBoxPath(c.req.path)) return next();
  const { method, path } = c.req;
  // A preflight carries no credential, and a browser that hears no answer to it shows the page no answer at all: it must
  // not depend on a box.
  if (method === "OPTIONS") return c.body(null, 204, { ...sharedHeaders, ...preflightHeaders });
  await requireKey(c, async () => {});
  // A box would say the same; whoever holds too little hears so even while none runs.
  if (boxPolicy(method, path) === "full" && c.var.caller.scope === "tts") throw new Refusal(failures.scope);
  return toBox(c);
};

export function mountDoor(app: PortalApp): void {
  app.use("*", door);
}
