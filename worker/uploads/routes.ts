import { uploadGrantSchema, uploadRequestSchema } from "../../contract/uploads.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import { answers, declareRoute, explainIssues, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { grantUpload } from "./uploads.ts";

const grant = declareRoute("portal-or-full-key", {
  method: "post",
  path: "/auth/uploads",
  request: { body: takes(uploadRequestSchema) },
  responses: { 201: answers(uploadGrantSchema, "Where to PUT each file, in the order they were asked for") },
});

export function mountUploads(app: PortalApp): void {
  app.openapi(
    grant,
    async (c) => {
      const asked = { account: c.var.caller.account, request: c.req.valid("json") };
      return c.json(unwrap(await grantUpload(c.var.env, signerOf(c), asked)), 201);
    },
    (result) => {
      if (!result.success) refuse("invalid_upload", explainIssues(result.error));
    },
  );
}
