import { z } from "@hono/zod-openapi";
import {
  publicationConsentSchema,
  publicationRequestSchema,
  publicationTermsSchema,
} from "../../contract/consents.ts";
import { currentPublicationTerms } from "../consents/terms.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { agreeToPublish, withdrawPublication } from "./publication.ts";

// Publishing shows a face to everybody, so that no key agrees to it: a person does.
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

export function mountPublication(app: PortalApp): void {
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
}
