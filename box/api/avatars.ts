// The faces: listing, stills, making one from a photograph or a video, and deleting it.

import { Hono } from "hono";
import {
  avatarDeleteRequestSchema,
  type AvatarCreated,
  type avatarDeletedSchema,
} from "../../contract/avatars.ts";
import type { z } from "zod";
import { AvatarError } from "../avatars/errors.ts";
import { Refusal } from "../failure.ts";
import type { Services } from "../services.ts";
import { avatarRequest, clipFields, readAvatarForm } from "./avatar-form.ts";
import { readJson } from "./body.ts";
import { fetchUpload } from "./claimed-upload.ts";
import { callerOf, type BoxEnv } from "./env.ts";
import { Spool } from "./spool.ts";

export function avatarRoutes({
  avatarReports,
  config,
  faces,
  ownership,
  portal,
  slot,
}: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/api/avatars", (c) => c.json(faces.list(callerOf(c).account)));

  app.get("/api/videos", (c) => c.json(faces.videos(callerOf(c).account)));

  app.get("/api/avatar/preview", async (c) => {
    const id = c.req.query("avatar");
    if (!id) throw new Refusal("invalid_body", "The query needs avatar=<id>.");
    const image = await faces.preview(callerOf(c).account, id);
    return c.body(new Uint8Array(image), 200, {
      "Content-Type": "image/jpeg",
      "Cache-Control": "private, no-cache",
    });
  });

  app.post("/api/avatar", async (c) => {
    const { account } = callerOf(c);
    const { made, name, consentId } = await Spool.use(config.stateDir, async (spool) => {
      const form = await readAvatarForm(c, spool, { fields: ["upload_id", ...clipFields], takes: true });
      const uploadId = form.fields.get("upload_id")?.trim() || undefined;
      if (uploadId !== undefined && form.files.length > 0)
        throw new Refusal("invalid_body", "upload_id comes in place of the files, not beside them.");
      const files =
        uploadId === undefined ? form.files : await fetchUpload({ portal, account, uploadId, spool });
      const request = avatarRequest({ owner: account, fields: form.fields, files });
      const created = await faces.create(request);
      return { made: created, name: request.name ?? null, consentId: request.consentToken };
    });
    avatarReports.made({ account, avatar: made.avatar, name, consentId });
    return c.json(made satisfies AvatarCreated);
  });

  app.post("/api/avatar/delete", async (c) => {
    const caller = callerOf(c);
    ownership.require(caller);
    const { account } = caller;
    const { avatar: id } = await readJson(c, avatarDeleteRequestSchema);
    const entry = faces.resolve(account, id);
    if (entry?.id !== id) throw new AvatarError("unknown_avatar", "There is no such avatar.");
    if (!entry.stock) {
      // What is shown cannot be taken away under the eyes of whoever watches it.
      const session = slot.of(account);
      if (session?.avatar.id === id) await session.end("disconnected");
    }
    const { deleted, active } = await faces.delete(account, id);
    const { videos } = faces.videos(account);
    return c.json({ deleted, active, videos } satisfies z.infer<typeof avatarDeletedSchema>);
  });

  return app;
}
