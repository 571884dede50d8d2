import { z } from "@hono/zod-openapi";
import {
  assetsSchema,
  clipVideoSchema,
  erasureReceiptSchema,
  libraryAvatarAnswerSchema,
  libraryListSchema,
  portalClipListSchema,
  publicListSchema,
  visibilityRequestSchema,
} from "../../contract/library.ts";
import { toneListSchema } from "../../contract/public.ts";
import { tones } from "../../contract/tones.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import { answers, declareRoute, explainIssues, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";
import { readAssets, readClips, readClipVideo } from "./archive.ts";
import { readLibrary, readPublished } from "./avatars.ts";
import { eraseAvatar } from "./erasures.ts";
import { publishAvatar, withdrawAvatar } from "./publication.ts";

const named = { params: z.object({ id: z.string() }) };

const list = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars",
  responses: { 200: answers(libraryListSchema, "The caller's own avatars") },
});

const publicList = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars/public",
  responses: { 200: answers(publicListSchema, "Every published avatar") },
});

const toneList = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars/tones",
  responses: { 200: answers(toneListSchema, "The emotion vocabulary") },
});

const publicToneList = declareRoute("any", {
  method: "get",
  path: "/v1/public/tones",
  responses: { 200: answers(toneListSchema, "The emotion vocabulary") },
});

const visibility = declareRoute("portal", {
  method: "put",
  path: "/auth/avatars/{id}/visibility",
  request: { ...named, body: takes(visibilityRequestSchema) },
  responses: { 200: answers(libraryAvatarAnswerSchema, "The avatar as it is now") },
});

const assets = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars/{id}/assets",
  request: named,
  responses: { 200: answers(assetsSchema, "The avatar's archived files under signed URLs") },
});

const clipList = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/avatars/{id}/clips",
  request: named,
  responses: { 200: answers(portalClipListSchema, "The avatar's clips, and what it was made from") },
});

const clipVideo = declareRoute("portal-or-full-key", {
  method: "get",
  path: "/auth/avatars/{id}/clips/{tone}/video",
  request: { params: z.object({ id: z.string(), tone: z.string() }) },
  responses: { 200: answers(clipVideoSchema, "A newly signed URL of the clip") },
});

const erase = declareRoute("portal-or-full-key", {
  method: "delete",
  path: "/auth/avatars/{id}",
  request: named,
  responses: { 202: answers(erasureReceiptSchema, "What is erased, and what is still to go") },
});

export function mountAvatars(app: PortalApp): void {
  app.openapi(list, async (c) =>
    c.json({ avatars: await readLibrary(c.var.env.db, c.var.caller.account) }, 200),
  );
  app.openapi(publicList, async (c) =>
    c.json({ avatars: await readPublished(c.var.env.db, c.var.caller.account) }, 200),
  );
  app.openapi(toneList, (c) => c.json({ tones: [...tones] }, 200));
  app.openapi(publicToneList, (c) => c.json({ tones: [...tones] }, 200));

  app.openapi(
    visibility,
    async (c) => {
      const move = c.req.valid("json").visibility === "public" ? publishAvatar : withdrawAvatar;
      const avatar = unwrap(await move(c.var.env, c.var.caller.account, c.req.valid("param").id));
      return c.json({ avatar }, 200);
    },
    (result) => {
      if (!result.success) refuse("invalid_visibility", explainIssues(result.error));
    },
  );

  app.openapi(assets, async (c) => {
    const key = { account: c.var.caller.account, avatarId: c.req.valid("param").id };
    return c.json(unwrap(await readAssets(c.var.env.db, signerOf(c), key)), 200);
  });

  app.openapi(clipList, async (c) =>
    c.json(unwrap(await readClips(c.var.env.db, c.var.caller.account, c.req.valid("param").id)), 200),
  );

  app.openapi(clipVideo, async (c) => {
    const { id: avatarId, tone } = c.req.valid("param");
    const asked = { account: c.var.caller.account, avatarId, tone };
    return c.json(unwrap(await readClipVideo(c.var.env.db, signerOf(c), asked)), 200);
  });

  app.openapi(erase, async (c) =>
    c.json(unwrap(await eraseAvatar(c.var.env, c.var.caller.account, c.req.valid("param").id)), 202),
  );
}
