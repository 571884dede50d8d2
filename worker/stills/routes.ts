import { z } from "@hono/zod-openapi";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { stillJobSchema, stillRequestSchema, stillStartedSchema } from "../../contract/stills.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { readJob, runJob, startJob } from "./stills.ts";

const start = declareRoute("portal-or-full-key", {
  method: "post",
  path: "/auth/seated-still",
  request: { body: takes(stillRequestSchema) },
  responses: {
    202: answers(stillStartedSchema, "The job has begun"),
    429: answers(
      structuredErrorSchema,
      "As many stills as an account may have were asked for within the hour",
    ),
  },
});

const poll = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/seated-still/{jobId}",
  request: { params: z.object({ jobId: z.string() }) },
  responses: { 200: answers(stillJobSchema, "How far the job is") },
});

export function mountStills(app: PortalApp): void {
  app.openapi(start, async (c) => {
    const { env, caller } = c.var;
    const { origin } = new URL(c.req.url);
    const order = { account: caller.account, portalOrigin: origin, request: c.req.valid("json") };
    const jobId = unwrap(await startJob(env, order));
    // The platform lets this go on for half a minute. A generator that takes longer is asked again by the clean-up, which
    // has the time.
    c.executionCtx.waitUntil(runJob(env, jobId));
    return c.json({ job_id: jobId }, 202);
  });

  app.openapi(poll, async (c) => {
    const request = { account: c.var.caller.account, id: c.req.valid("param").jobId };
    return c.json(unwrap(await readJob(c.var.env.db, signerOf(c), request)), 200);
  });
}
