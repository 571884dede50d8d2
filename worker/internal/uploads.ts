// What a box asks before it makes an avatar: the files that were uploaded for it, and whether their bytes were agreed to.

import {
  consentCheckAnswerSchema,
  consentCheckSchema,
  uploadClaimAnswerSchema,
  uploadClaimSchema,
} from "../../contract/internal/avatars.ts";
import { checkConsent } from "../consents/consents.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { claimUpload } from "../uploads/uploads.ts";

const claim = declareRoute("box", {
  method: "post",
  path: "/internal/uploads/claim",
  request: { body: takes(uploadClaimSchema) },
  responses: {
    200: answers(uploadClaimAnswerSchema, "Where to GET each file, in the order they were granted"),
  },
});

const check = declareRoute("box", {
  method: "post",
  path: "/internal/consents/check",
  request: { body: takes(consentCheckSchema) },
  responses: { 200: answers(consentCheckAnswerSchema, "Whether the account agreed to exactly these bytes") },
});

export function mountInternalUploads(app: PortalApp): void {
  app.openapi(claim, async (c) => {
    const { account, upload_id: uploadId } = c.req.valid("json");
    return c.json(unwrap(await claimUpload(c.var.env, signerOf(c), { account, uploadId })), 200);
  });

  app.openapi(check, async (c) => {
    const { account, consent_token: consentId, sha256 } = c.req.valid("json");
    const agreed = unwrap(await checkConsent(c.var.env.ledger, { account, consentId, sha256 }));
    return c.json({ agreed }, 200);
  });
}
