// A photograph, its avatar and all its clips in one request.

import { Hono } from "hono";
import type { PhotoAvatar } from "../../contract/avatars.ts";
import { variantId } from "../../contract/avatars.ts";
import { AvatarError } from "../avatars/errors.ts";
import { Refusal } from "../failure.ts";
import type { Services } from "../services.ts";
import { avatarRequest, clipFields, readAvatarForm } from "./avatar-form.ts";
import { callerOf, type BoxEnv } from "./env.ts";
import { Spool } from "./spool.ts";

const unread = { headers: { Connection: "close" } };

export function photoAvatarRoutes({ avatarReports, config, faces }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.post("/v1/photo_avatar.create", async (c) => {
    if (!config.avatars.photoCreation)
      throw new Refusal("feature_disabled", "This box does not make avatars from photographs.", unread);
    const { account } = callerOf(c);
    const { made, name, consentId } = await Spool.use(config.stateDir, async (spool) => {
      const form = await readAvatarForm(c, spool, { fields: ["avatar_id", ...clipFields], takes: false });
      const id = form.fields.get("avatar_id")?.trim() || undefined;
      const request = avatarRequest({ owner: account, ...form });
      if (id === undefined && request.name === undefined)
        throw new Refusal("invalid_body", "The form needs avatar_id or name.");
      const created = await faces.create({ ...request, ...(id !== undefined && { id }), strict: true });
      return { made: created, name: request.name ?? null, consentId: request.consentToken };
    });
    avatarReports.made({ account, avatar: made.avatar, name, consentId });

    // Whether or not anybody still waits for the answer, the build goes on.
    const finished = await faces.finished(account, made.avatar);
    if (!finished) throw new AvatarError("unknown_avatar", "The avatar was deleted while it was built.");
    if (finished.failure) throw finished.failure;
    const answer: PhotoAvatar = {
      data: {
        avatar_id: made.avatar,
        clips: finished.clips.map((clip) => ({
          tone: clip.tone,
          template: clip.template,
          path: `/api/avatar/clip?avatar=${made.avatar}&tone=${clip.tone}`,
          duration_s: clip.frames / clip.fps,
          fps: clip.fps,
          loop_frame: clip.frames,
          avatar_id: variantId(made.avatar, clip.tone),
          queued: true,
        })),
      },
    };
    return c.json(answer);
  });

  return app;
}
