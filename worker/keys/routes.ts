import { z } from "@hono/zod-openapi";
import { okSchema } from "../../contract/chat.ts";
import {
  createTokenRequestSchema,
  createTokenResponseSchema,
  keyCreatedSchema,
  keyCreateRequestSchema,
  keyListSchema,
  sessionCredentialSchema,
} from "../../contract/credentials.ts";
import { nowSeconds } from "../platform/clock.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import { answers, declareRoute, explainIssues, takes, type PortalApp } from "../platform/portal.ts";
import { createKey, deleteKey, readKeys } from "./keys.ts";
import { mintSessionCredential, mintToken } from "./minting.ts";

const list = declareRoute("portal", {
  method: "get",
  path: "/auth/keys",
  responses: { 200: answers(keyListSchema, "Every key of the caller, revoked ones too") },
});

const create = declareRoute("portal", {
  method: "post",
  path: "/auth/keys",
  request: { body: takes(keyCreateRequestSchema) },
  responses: { 201: answers(keyCreatedSchema, "The new key; its secret is shown this once") },
});

const remove = declareRoute("portal", {
  method: "delete",
  path: "/auth/keys/{id}",
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: answers(okSchema, "The key is revoked") },
});

const credential = declareRoute("portal", {
  method: "post",
  path: "/auth/session/credential",
  responses: { 201: answers(sessionCredentialSchema, "A credential that every box accepts") },
});

const token = declareRoute("full-key", {
  method: "post",
  path: "/v1/streaming.create_token",
  request: { body: takes(createTokenRequestSchema) },
  responses: { 200: answers(createTokenResponseSchema, "A stream-only token") },
});

export function mountKeys(app: PortalApp): void {
  app.openapi(list, async (c) => c.json({ keys: await readKeys(c.var.env.db, c.var.caller.account) }, 200));

  app.openapi(
    create,
    async (c) => {
      const key = unwrap(await createKey(c.var.env.db, c.var.caller.account, c.req.valid("json").name));
      return c.json({ key }, 201);
    },
    (result) => {
      if (result.success) return;
      const onName = result.error.issues.some((issue) => issue.path[0] === "name");
      refuse(onName ? "invalid_name" : "invalid_body", explainIssues(result.error));
    },
  );

  app.openapi(remove, async (c) => {
    unwrap(await deleteKey(c.var.env.db, c.var.caller.account, c.req.valid("param").id));
    return c.json({ ok: true as const }, 200);
  });

  app.openapi(credential, async (c) => {
    const { secret, expiresAt } = unwrap(await mintSessionCredential(c.var.env.db, c.var.caller));
    const expiry = { expires_at: expiresAt, expires_in: expiresAt - nowSeconds() };
    return c.json({ credential: { secret, ...expiry, scope: "full" as const } }, 201);
  });

  app.openapi(token, async (c) => {
    const { ttl_seconds: ttlSeconds, ttl } = c.req.valid("json");
    const { secret, expiresAt } = unwrap(await mintToken(c.var.env.db, c.var.caller, ttlSeconds ?? ttl));
    return c.json({ data: { token: secret, expires_at: expiresAt, scope: "tts" as const } }, 200);
  });
}
