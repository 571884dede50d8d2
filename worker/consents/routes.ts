import { z } from "@hono/zod-openapi";
import {
  consentCreatedSchema,
  consentListSchema,
  consentRequestSchema,
  publicationConsentSchema,
  publicationRequestSchema,
  publicationTermsSchema,
  recordingTermsSchema,
} from "../../contract/consents.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { attest, readConsents } from "./consents.ts";
import { agreeToPublish, withdrawPublication } from "./publication.ts";
import { currentPublicationTerms, currentRecordingTerms } from "./terms.ts";

// A full key may upload, and whoever uploads must be able to say that they may use the likeness. Publishing shows a face to
// everybody, so that a person agrees to in person.
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

const agree = declareRoute("portal", {
  method: "post",
  path: "/auth/publication-consents",
  request: { body: takes(publicationRequestSchema) },
  responses: { 201: answers(publicationConsentSchema, "The agreement to publish one avatar") },
});

const withdraw = declareRoute("portal", {
  method: "delete",
  path: "/auth/publication-consents/{avatar_id}",
  request: { params: z.object({ avatar_id: z.string() }) },
  responses: { 200: answers(publicationConsentSchema, "The agreement is withdrawn and the avatar private") },
});

const publicationTerms = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars/publication-terms",
  responses: { 200: answers(publicationTermsSchema, "The wording a publication is agreed under") },
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

  app.openapi(agree, async (c) => {
    const { avatar_id: avatarId, terms_version: termsVersion } = c.req.valid("json");
    const { account } = c.var.caller;
    const consent = unwrap(await agreeToPublish(c.var.env, { account, avatarId, termsVersion }));
    return c.json({ publication_consent: consent }, 201);
  });

  app.openapi(withdraw, async (c) => {
    const key = { account: c.var.caller.account, avatarId: c.req.valid("param").avatar_id };
    return c.json({ publication_consent: unwrap(await withdrawPublication(c.var.env, key)) }, 200);
  });

  app.openapi(publicationTerms, async (c) => c.json({ terms: await currentPublicationTerms() }, 200));
  app.openapi(recordingTerms, async (c) => c.json(await currentRecordingTerms(), 200));
}
