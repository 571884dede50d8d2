import { z } from "@hono/zod-openapi";
import {
  sessionAnswerSchema,
  sessionDetailSchema,
  sessionErasureSchema,
  sessionListQuerySchema,
  sessionPageSchema,
  sessionPatchSchema,
} from "../../contract/sessions.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import { answers, declareRoute, explainIssues, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { eraseSession } from "./erasure.ts";
import { changeSession, readPage, readSession } from "./sessions.ts";

const idParam = z.object({ id: z.string() });

const list = declareRoute("portal", {
  method: "get",
  path: "/auth/sessions",
  request: { query: sessionListQuerySchema },
  responses: { 200: answers(sessionPageSchema, "A page of the caller's sessions, newest first") },
});

const read = declareRoute("portal", {
  method: "get",
  path: "/auth/sessions/{id}",
  request: { params: idParam },
  responses: {
    200: answers(sessionDetailSchema, "The session with its transcript and links to what is stored"),
  },
});

const edit = declareRoute("portal", {
  method: "patch",
  path: "/auth/sessions/{id}",
  request: { params: idParam, body: takes(sessionPatchSchema) },
  responses: { 200: answers(sessionAnswerSchema, "The row after the edit") },
});

const erase = declareRoute("portal", {
  method: "delete",
  path: "/auth/sessions/{id}",
  request: { params: idParam },
  responses: { 202: answers(sessionErasureSchema, "What is gone, and what the clean-up will go on with") },
});

export function mountSessions(app: PortalApp): void {
  app.openapi(
    list,
    async (c) => {
      const request = { account: c.var.caller.account, ...c.req.valid("query") };
      return c.json(unwrap(await readPage(c.var.env.db, request)), 200);
    },
    (result) => {
      if (result.success) return;
      const onCursor = result.error.issues.some((issue) => issue.path[0] === "cursor");
      refuse(onCursor ? "invalid_cursor" : "invalid_body", explainIssues(result.error));
    },
  );

  app.openapi(read, async (c) => {
    const { id } = c.req.valid("param");
    const session = await readSession(c.var.env, { account: c.var.caller.account, id, signer: signerOf(c) });
    return c.json(unwrap(session), 200);
  });

  app.openapi(
    edit,
    async (c) => {
      const { id } = c.req.valid("param");
      const change = { account: c.var.caller.account, id, patch: c.req.valid("json") };
      return c.json({ session: unwrap(await changeSession(c.var.env.db, change)) }, 200);
    },
    (result) => {
      if (result.success) return;
      const unknown = result.error.issues.find((issue) => issue.code === "unrecognized_keys");
      if (!unknown) refuse("invalid_body", explainIssues(result.error));
      const fields = unknown.keys.map((key) => JSON.stringify(key.slice(0, 60))).join(", ");
      refuse(
        "session_field_not_editable",
        `Not editable: ${fields}. A session's title, notes, tags and starred are.`,
      );
    },
  );

  app.openapi(erase, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(unwrap(await eraseSession(c.var.env, { account: c.var.caller.account, id })), 202);
  });
}
