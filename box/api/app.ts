// The box's HTTP face: one gate, one log line a request, one edge where failures become answers.

import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { preflightHeaders } from "../../contract/cors.ts";
import { errorBody, errorStatus, type Failure } from "../../contract/errors.ts";
import { Refusal } from "../failure.ts";
import { describeError, loggedPath, offeredRequestId } from "../ops/log.ts";
import type { Services } from "../services.ts";
import { OfferError } from "../streaming/errors.ts";
import { audioRoutes } from "./audios.ts";
import { avatarRoutes } from "./avatars.ts";
import { chatRoutes } from "./chat.ts";
import { clipRoutes } from "./clips.ts";
import { connectRoutes } from "./connect.ts";
import { corsHeaders } from "./cors.ts";
import { envelopeOf } from "./envelopes.ts";
import type { BoxContext, BoxEnv } from "./env.ts";
import { healthRoutes } from "./health.ts";
import { metricsRoutes } from "./metrics.ts";
import { modelRoutes } from "./models.ts";
import { offerRoutes } from "./offer.ts";
import { roomRoutes } from "./rooms.ts";
import { photoAvatarRoutes } from "./photo-avatar.ts";
import { settingsRoutes } from "./settings.ts";
import { statsRoutes } from "./stats.ts";
import { stillRoutes } from "./stills.ts";
import { talkRoutes } from "./talk.ts";
import { tokenRoutes } from "./tokens.ts";
import { voiceRoutes } from "./voices.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function asRefusal(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof OfferError) {
    const restart = error.code === "ice_restart_unsupported";
    return new Refusal(restart ? "ice_restart_unsupported" : "invalid_offer", error.message);
  }
  return null;
}

function answer(c: BoxContext, status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...headers,
      ...corsHeaders(c),
    },
  });
}

function fail(c: BoxContext, error: unknown): Response {
  const envelope = envelopeOf(c.req.method, c.req.path);
  const refusal = asRefusal(error);
  if (!refusal) {
    c.get("log").error(describeError(error), "request failed");
    const failure: Failure = { code: "internal", message: "Something went wrong on the box." };
    return answer(c, errorStatus.internal, errorBody(envelope, failure));
  }
  if (refusal.cause !== undefined && refusal.status >= 500)
    c.get("log").warn(describeError(refusal.cause), "request could not be served");
  return answer(c, refusal.status, errorBody(envelope, refusal), refusal.headers);
}

export function createApp(services: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.use(async (c, next) => {
    const startedAtMs = performance.now();
    const requestId = offeredRequestId(c.req.header("x-request-id")) ?? randomUUID();
    c.set("requestId", requestId);
    c.set("log", services.log.child({ request_id: requestId }));
    c.set("caller", null);
    c.set("sight", services.turns.look());
    await next();
    c.res.headers.set("X-Request-Id", requestId);
    c.get("log").info(
      {
        method: c.req.method,
        path: loggedPath(c.req.path),
        status: c.res.status,
        ms: Math.round((performance.now() - startedAtMs) * 10) / 10,
        key: c.get("caller")?.digest.slice(0, 8),
      },
      "request",
    );
  });

  app.use(async (c, next) => {
    if (c.req.method === "OPTIONS")
      return new Response(null, { status: 204, headers: { ...corsHeaders(c), ...preflightHeaders } });
    const caller = await services.access
      .admit({
        method: c.req.method,
        url: new URL(c.req.url),
        header: (name) => c.req.header(name),
        upgrade: c.req.header("upgrade")?.toLowerCase() === "websocket",
      })
      .catch((error: unknown) => {
        throw services.ownership.unverified(error, c.req.method, c.req.path);
      });
    c.set("caller", caller);
    await next();
    for (const [name, value] of Object.entries(corsHeaders(c))) c.res.headers.set(name, value);
    return undefined;
  });

  for (const routes of [
    healthRoutes,
    metricsRoutes,
    connectRoutes,
    offerRoutes,
    roomRoutes,
    chatRoutes,
    talkRoutes,
    voiceRoutes,
    audioRoutes,
    avatarRoutes,
    clipRoutes,
    photoAvatarRoutes,
    stillRoutes,
    settingsRoutes,
    modelRoutes,
    statsRoutes,
    tokenRoutes,
  ]) {
    app.route("/", routes(services));
  }

  const known = app.routes
    .filter((route) => methods.includes(route.method) && !route.path.includes("*"))
    .map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:\w+/g, "[^/]+")}$`),
    }));

  app.notFound((c) => {
    const allowed = new Set(
      known.filter((route) => route.pattern.test(c.req.path)).map((route) => route.method),
    );
    if (allowed.size === 0)
      return answer(
        c,
        404,
        errorBody("structured", { code: "not_found", message: "There is no such path." }),
      );
    if (allowed.has("GET")) allowed.add("HEAD");
    const message = `${c.req.method} is not a method of this path.`;
    return answer(c, 405, errorBody("structured", { code: "method_not_allowed", message }), {
      Allow: [...allowed, "OPTIONS"].join(", "),
    });
  });

  app.onError((error, c) => fail(c, error));
  return app;
}
