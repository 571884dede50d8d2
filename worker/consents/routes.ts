import {
  consentCreatedSchema,
  consentListSchema,
  consentRequestSchema,
  recordingTermsSchema,
} from "../../contract/consents.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { attest, readConsents } from "./consents.ts";
import { currentRecordingTerms } from "./terms.ts";

// A full key may upload, and whoever uploads must be able to say that they may use the likeness.
const create = declareRoute("portal-or-full-key", {
  method: "post",
  path: "/auth/consents",
  request: { body: takes(consentRequestSchema) },
  responses: {
    201: answers(consentCreatedSchema, "The agreement; its id is the consent token of an avatar"),
  },
});

const list = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/consents",
  responses: { 200: answers(consentListSchema, "Every upload consent of the caller, newest first") },
});

const recordingTerms = declareRoute("public", {
  method: "get",
  path: "/auth/recordings/terms",
  responses: { 200: answers(recordingTermsSchema, "The wording a recording is agreed under") },
});

export function mountConsents(app: PortalApp): void {
  app.openapi(create, async (c) => {
    const { env, caller } = c.var;
    return c.json({ consent: unwrap(await attest(env.ledger, caller.account, c.req.valid("json"))) }, 201);
  });

  app.openapi(list, async (c) =>
    c.json({ consents: unwrap(await readConsents(c.var.env.ledger, c.var.caller.account)) }, 200),
  );

  app.openapi(recordingTerms, async (c) => c.json(await currentRecordingTerms(), 200));
}
