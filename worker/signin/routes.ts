import { z } from "@hono/zod-openapi";
import { getCookie } from "hono/cookie";
import { okSchema } from "../../contract/chat.ts";
import {
  exchangeAnswerSchema,
  meSchema,
  outboxSchema,
  requestLinkAnswerSchema,
  requestLinkSchema,
} from "../../contract/credentials.ts";
import { cookieName, sessionCookie } from "../access/cookie.ts";
import { requireSameOrigin } from "../access/origin.ts";
import { failures } from "../access/policy.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import { Refusal } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { mailerOf, type Mail } from "../platform/mail.ts";
import type { PortalContext } from "../platform/context.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { outboxOf, outboxPage } from "./outbox.ts";
import { openPortalSession, orderLink, redeemLink } from "./signin.ts";
import { deletePortalSession, listOutbox } from "./store.ts";

const requestLink = declareRoute("public", {
  method: "post",
  path: "/auth/request-link",
  request: { body: takes(requestLinkSchema) },
  responses: { 200: answers(requestLinkAnswerSchema, "The same for every address") },
});

const callback = declareRoute("public", {
  method: "get",
  path: "/auth/callback",
  request: { query: z.object({ token: z.string().optional() }) },
  responses: { 303: { description: "Signed in, or back to the sign-in page" } },
});

const logout = declareRoute("public", {
  method: "post",
  path: "/auth/logout",
  responses: { 200: answers(okSchema, "Signed out") },
});

const exchange = declareRoute("identity", {
  method: "post",
  path: "/auth/session/exchange",
  responses: { 200: answers(exchangeAnswerSchema, "The identity token was traded for the portal's cookie") },
});

const me = declareRoute("portal", {
  method: "get",
  path: "/auth/me",
  responses: { 200: answers(meSchema, "Who is signed in") },
});

const outbox = declareRoute("public", {
  method: "get",
  path: "/dev/outbox",
  responses: {
    200: {
      description: "Mail that a local portal kept",
      content: { "application/json": { schema: outboxSchema }, "text/html": { schema: z.string() } },
    },
  },
});

/** Sends without a word of success or failure to the caller; a provider's slowness is not the caller's either. */
async function send(c: PortalContext, mail: Mail): Promise<void> {
  const requestId = c.var.requestId;
  const sending = mailerOf(c.var.env)
    .send(mail)
    .catch((error: unknown) =>
      log("error", "mail_failed", { request_id: requestId, ...describeError(error) }),
    );
  if (c.var.env.mail.kind === "outbox") await sending;
  else c.executionCtx.waitUntil(sending);
}

export function mountSignin(app: PortalApp): void {
  app.openapi(requestLink, async (c) => {
    const mail = await orderLink(c.var.env.db, {
      email: c.req.valid("json").email,
      client: c.req.header("CF-Connecting-IP") ?? "local",
      origin: c.var.env.portalOrigin ?? new URL(c.req.url).origin,
    });
    if (mail) await send(c, mail);
    const message = "If the address can sign in, a link is on its way to it.";
    return c.json({ ok: true as const, message }, 200);
  });

  app.openapi(callback, async (c) => {
    const { token } = c.req.valid("query");
    // A HEAD request is a scanner that looks at the link, not the person who opens it.
    const opened = token && c.req.method === "GET" ? await redeemLink(c.var.env.db, token) : null;
    if (!opened) return c.redirect("/?signin=expired", 303);
    c.header("Set-Cookie", sessionCookie(c.req.url, opened.secret));
    return c.redirect("/", 303);
  });

  app.openapi(logout, async (c) => {
    const cookie = getCookie(c, cookieName(c.req.url));
    if (cookie !== undefined) {
      requireSameOrigin(c);
      await deletePortalSession(c.var.env.db, await sha256Hex(cookie), nowSeconds());
    }
    c.header("Set-Cookie", sessionCookie(c.req.url, null));
    return c.json({ ok: true as const }, 200);
  });

  app.openapi(exchange, async (c) => {
    const { account } = c.var.caller;
    const { secret, expiresAt } = await openPortalSession(c.var.env.db, account);
    c.header("Set-Cookie", sessionCookie(c.req.url, secret));
    return c.json({ ok: true as const, email: account, expires_at: expiresAt }, 200);
  });

  app.openapi(me, (c) => c.json({ email: c.var.caller.account, admin: c.var.caller.admin }, 200));

  app.openapi(outbox, async (c) => {
    if (!c.var.env.local) throw new Refusal(failures.hidden);
    const content = outboxOf(await listOutbox(c.var.env.db));
    if ((c.req.header("Accept") ?? "").includes("text/html")) return c.html(outboxPage(content), 200);
    return c.json(content, 200);
  });
}
