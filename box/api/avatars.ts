// The faces: listing, stills, and making one from a photograph.

import { Hono } from "hono";
import type { AvatarCreated } from "../../contract/avatars.ts";
import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import type { Services } from "../services.ts";
import { callerOf, type BoxEnv } from "./env.ts";
import { readForm } from "./multipart.ts";

const uploadWithinMs = 300_000;
const videoName = /\.(?:mp4|mov|webm|mkv)$/i;

const formLimits = {
  fields: ["upload_id", "name", "tones", "consent_token", "framing", "gesture_amplitude", "ai_generated"],
  files: ["file"],
  fileBytes: limits.imageBytes,
  bodyBytes: limits.avatarBodyBytes,
  timeoutMs: uploadWithinMs,
  fileTooLarge: () =>
    new Refusal("image_too_large", `A photograph may have at most ${limits.imageBytes / 1024 / 1024} MB.`, {
      headers: { Connection: "close" },
    }),
};

/** 0..1, or undefined when nothing was said. */
function amplitudeOf(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0 && value <= 1) return value;
  throw new Refusal("invalid_body", "gesture_amplitude must be a number from 0 to 1.");
}

export function avatarRoutes({ avatarReports, faces }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/api/avatars", (c) => c.json(faces.list(callerOf(c).account)));

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
    const { fields, files } = await readForm(c, formLimits);
    if (fields.has("upload_id"))
      throw new Refusal("feature_disabled", "This box has no storage to fetch an upload from.");
    const file = files.get("file");
    if (!file) throw new Refusal("invalid_body", "The form needs a file in the part named file.");
    if (file.contentType.startsWith("video/") || videoName.test(file.filename))
      throw new Refusal("feature_disabled", "This box makes avatars from photographs only.");

    const name = fields.get("name")?.trim() || undefined;
    const gestureAmplitude = amplitudeOf(fields.get("gesture_amplitude"));
    const framing = fields.get("framing")?.trim() || undefined;
    const made = await faces.create({
      owner: account,
      filename: file.filename,
      bytes: file.bytes,
      ...(name === undefined ? {} : { name }),
      ...(framing === undefined ? {} : { framing }),
      ...(gestureAmplitude === undefined ? {} : { gestureAmplitude }),
    });
    avatarReports.made({
      account,
      avatar: made.avatar,
      name: name ?? null,
      consentId: fields.get("consent_token")?.trim() || undefined,
    });
    const coming: readonly string[] = made.tones;
    const wanted = (fields.get("tones") ?? "").split(",").map((tone) => tone.trim());
    const more = wanted.some((tone) => tone !== "" && !coming.includes(tone));
    const missing = more ? "This box builds no emotion clips: only the base idle face is coming." : "";
    const note = [made.note, missing].filter((part) => part !== "").join(" ");
    return c.json({ ...made, note } satisfies AvatarCreated);
  });

  return app;
}
