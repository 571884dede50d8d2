import { z } from "@hono/zod-openapi";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { portraitApprovalSchema, portraitRequestSchema, portraitSchema } from "../../contract/portraits.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { approvePortrait, createPortrait, readPortrait, regeneratePortrait } from "./portraits.ts";

const params = z.object({ id: z.string() });
const drawn = {
  201: answers(portraitSchema, "The new portrait"),
  429: answers(structuredErrorSchema, "As many portraits as an account may have were made within the hour"),
  502: answers(structuredErrorSchema, "The generator or the storage failed"),
};

const create = declareRoute("portal", {
  method: "post",
  path: "/auth/portraits",
  request: { body: takes(portraitRequestSchema) },
  responses: drawn,
});

const read = declareRoute("portal", {
  method: "get",
  path: "/auth/portraits/{id}",
  request: { params },
  responses: { 200: answers(portraitSchema, "The portrait, with a newly signed link") },
});

const approve = declareRoute("portal", {
  method: "post",
  path: "/auth/portraits/{id}/approve",
  request: { params, body: takes(portraitApprovalSchema) },
  responses: { 200: answers(portraitSchema, "The portrait is approved") },
});

const regenerate = declareRoute("portal", {
  method: "post",
  path: "/auth/portraits/{id}/regenerate",
  request: { params },
  responses: drawn,
});

export function mountPortraits(app: PortalApp): void {
  app.openapi(create, async (c) => {
    const { account } = c.var.caller;
    const { persona } = c.req.valid("json");
    return c.json(
      { portrait: unwrap(await createPortrait(c.var.env, signerOf(c), { account, persona })) },
      201,
    );
  });

  app.openapi(read, async (c) => {
    const request = { account: c.var.caller.account, id: c.req.valid("param").id };
    return c.json({ portrait: unwrap(await readPortrait(c.var.env, signerOf(c), request)) }, 200);
  });

  app.openapi(approve, async (c) => {
    const { sha256 } = c.req.valid("json");
    const request = { account: c.var.caller.account, id: c.req.valid("param").id, sha256 };
    return c.json({ portrait: unwrap(await approvePortrait(c.var.env, signerOf(c), request)) }, 200);
  });

  app.openapi(regenerate, async (c) => {
    const request = { account: c.var.caller.account, id: c.req.valid("param").id };
    return c.json({ portrait: unwrap(await regeneratePortrait(c.var.env, signerOf(c), request)) }, 201);
  });
}
