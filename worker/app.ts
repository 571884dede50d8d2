// The portal's application: what every request passes through, then the routes, then the pages.

import { HTTPException } from "hono/http-exception";
import manifest from "../package.json" with { type: "json" };
import { sharedHeaders } from "../contract/cors.ts";
import { portalHealthSchema } from "../contract/health.ts";
import { isBoxPath } from "../contract/policies.ts";
import { findAccountDigest } from "./access/trace.ts";
import { mountAvatars } from "./avatars/routes.ts";
import { mountConsents } from "./consents/routes.ts";
import { mountDocs } from "./docs/routes.ts";
import { mountDoor } from "./door/routes.ts";
import { mountFleet } from "./fleet/routes.ts";
import { finishHeaders } from "./headers.ts";
import { mountInternalAvatars } from "./internal/avatars.ts";
import { mountInternal } from "./internal/routes.ts";
import { mountInternalSessions } from "./internal/sessions.ts";
import { mountInternalUploads } from "./internal/uploads.ts";
import { mountInternalVoices } from "./internal/voices.ts";
import { mountKeys } from "./keys/routes.ts";
import { mountModels } from "./models/routes.ts";
import { mountPages } from "./pages.ts";
import { envOf } from "./platform/env.ts";
import { envelopeOf, failureResponse, Refusal } from "./platform/errors.ts";
import { newId } from "./platform/ids.ts";
import { describeError, log } from "./platform/log.ts";
import { answers, createPortalApp, declareRoute, type PortalApp } from "./platform/portal.ts";
import { mountPortraits } from "./portraits/routes.ts";
import { mountPublication } from "./publication/routes.ts";
import { mountSessions } from "./sessions/routes.ts";
import { mountSettings } from "./settings/routes.ts";
import { mountSignin } from "./signin/routes.ts";
import { mountStills } from "./stills/routes.ts";
import { mountUploads } from "./uploads/routes.ts";
import { mountVoices } from "./voices/routes.ts";

const internalFailure = {
  code: "internal",
  message: "Something went wrong on our side. The log line of this request id says what.",
} as const;

const health = declareRoute("public", {
  method: "get",
  path: "/health",
  responses: { 200: answers(portalHealthSchema, "The portal answers") },
});

export function createApp(): PortalApp {
  const app = createPortalApp();

  app.use("*", async (c, next) => {
    const startedAt = Date.now();
    c.set("requestId", newId());
    await next();
    finishHeaders(c.res, c.req, c.var.requestId);
    log("info", "request", {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Date.now() - startedAt,
      request_id: c.var.requestId,
      account: await findAccountDigest(c),
      box: c.var.boxId,
    });
  });
  app.use("*", async (c, next) => {
    c.set("env", envOf(c.env));
    await next();
  });

  app.onError((error, c) => {
    const envelope = envelopeOf(c.req.path);
    // A page of another site may call box paths, so what the portal itself answers there must be readable to it.
    const shared = isBoxPath(c.req.path) ? sharedHeaders : {};
    if (error instanceof Refusal) {
      if (error.cause !== undefined) {
        log("error", error.failure.code, { request_id: c.var.requestId, ...describeError(error.cause) });
      }
      return failureResponse(envelope, error.failure, { ...shared, ...error.headers });
    }
    // Hono's own validators refuse a body before any schema sees it.
    if (error instanceof HTTPException && error.status === 400) {
      return failureResponse(envelope, { code: "invalid_body", message: "The body must be a JSON object." });
    }
    log("error", "unexpected", { request_id: c.var.requestId, path: c.req.path, ...describeError(error) });
    return failureResponse(envelope, internalFailure, shared);
  });

  app.openapi(health, (c) =>
    c.json(
      { ok: true as const, service: "portal" as const, version: manifest.version, commit: c.var.env.commit },
      200,
    ),
  );
  mountSignin(app);
  mountKeys(app);
  mountSettings(app);
  mountModels(app);
  mountAvatars(app);
  mountUploads(app);
  mountConsents(app);
  mountPublication(app);
  mountPortraits(app);
  mountStills(app);
  mountSessions(app);
  mountVoices(app);
  mountFleet(app);
  mountInternal(app);
  mountInternalAvatars(app);
  mountInternalUploads(app);
  mountInternalSessions(app);
  mountInternalVoices(app);
  mountDocs(app);
  mountDoor(app);
  mountPages(app);
  return app;
}
