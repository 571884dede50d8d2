// Clips of delivery tones: listed, built again, played.

import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { clipRetryRequestSchema, type ClipList } from "../../contract/avatars.ts";
import { AvatarError } from "../avatars/errors.ts";
import { Refusal } from "../failure.ts";
import type { Services } from "../services.ts";
import { readJson } from "./body.ts";
import { byteRange } from "./byte-range.ts";
import { callerOf, type BoxContext, type BoxEnv } from "./env.ts";

function avatarOf(c: BoxContext): string {
  const id = c.req.query("avatar");
  if (!id) throw new Refusal("invalid_body", "The query needs avatar=<id>.");
  return id;
}

export function clipRoutes({ faces }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/api/avatar/clips", (c) =>
    c.json(faces.clips(callerOf(c).account, avatarOf(c)) satisfies ClipList),
  );

  app.post("/api/avatar/clips/retry", async (c) => {
    const { avatar, tone } = await readJson(c, clipRetryRequestSchema);
    return c.json(await faces.retry(callerOf(c).account, avatar, tone), 202);
  });

  app.get("/api/avatar/clip", (c) => {
    const path = faces.clipFile(callerOf(c).account, avatarOf(c), c.req.query("tone") || undefined);
    return serveFile(c, path, "video/mp4");
  });

  return app;
}

/** A file, or the part of it that was asked for; it is read as the caller takes it. */
async function serveFile(c: BoxContext, path: string, type: string): Promise<Response> {
  const file = await open(path).catch((error: unknown) => {
    // It was replaced or deleted since it was looked up.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new AvatarError("clip_not_found", "There is no clip of this tone to play.");
  });
  let handedOver = false;
  try {
    const { size, mtimeMs } = await file.stat();
    const etag = `"${Math.round(mtimeMs).toString(36)}-${size.toString(36)}"`;
    const headers = {
      "Content-Type": type,
      "Cache-Control": "private, no-cache",
      "Accept-Ranges": "bytes",
      ETag: etag,
    };
    const condition = c.req.header("if-range");
    const asked = condition === undefined || condition === etag ? c.req.header("range") : undefined;
    if (asked === undefined && c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    const range = byteRange(asked, size);
    if (range === "unsatisfiable")
      return c.body(null, 416, { ...headers, "Content-Range": `bytes */${size}` });
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const described = {
      ...headers,
      "Content-Length": String(end - start + 1),
      ...(range && { "Content-Range": `bytes ${start}-${end}/${size}` }),
    };
    const status = range ? 206 : 200;
    if (c.req.raw.method === "HEAD" || size === 0) return c.body(null, status, described);
    const stream = file.createReadStream({ start, end });
    handedOver = true;
    return c.body(Readable.toWeb(stream) as ReadableStream, status, described);
  } finally {
    if (!handedOver) await file.close();
  }
}
