// What boxes say of avatars: how they come along, what joins their archive, and what is erased.

import {
  archiveDoneAnswerSchema,
  archiveDoneRequestSchema,
  archiveGrantSchema,
  archiveRequestSchema,
  avatarReportAnswerSchema,
  avatarReportSchema,
  clipReportAnswerSchema,
  clipReportSchema,
  erasuresAnswerSchema,
  erasuresDoneAnswerSchema,
  erasuresDoneSchema,
  erasuresRequestSchema,
} from "../../contract/internal/avatars.ts";
import { closeArchive, grantArchive } from "../avatars/archive.ts";
import { recordClip, recordReport } from "../avatars/avatars.ts";
import { confirmErasures, readPendingErasures } from "../avatars/erasures.ts";
import { unwrap } from "../platform/errors.ts";
import { answers, declareRoute, takes, type PortalApp } from "../platform/portal.ts";
import { signerOf } from "../platform/storage.ts";

const ok = { ok: true } as const;

const report = declareRoute("box", {
  method: "post",
  path: "/internal/avatars/report",
  request: { body: takes(avatarReportSchema) },
  responses: { 200: answers(avatarReportAnswerSchema, "The report is kept") },
});

const media = declareRoute("box", {
  method: "post",
  path: "/internal/avatars/media",
  request: { body: takes(archiveRequestSchema) },
  responses: { 200: answers(archiveGrantSchema, "Where to PUT each file, in the order they were asked for") },
});

const mediaDone = declareRoute("box", {
  method: "post",
  path: "/internal/avatars/media/done",
  request: { body: takes(archiveDoneRequestSchema) },
  responses: { 200: answers(archiveDoneAnswerSchema, "The files are in the archive") },
});

const clip = declareRoute("box", {
  method: "post",
  path: "/internal/avatars/clips",
  request: { body: takes(clipReportSchema) },
  responses: { 200: answers(clipReportAnswerSchema, "The report is kept") },
});

const pending = declareRoute("box", {
  method: "post",
  path: "/internal/erasures/pending",
  request: { body: takes(erasuresRequestSchema) },
  responses: { 200: answers(erasuresAnswerSchema, "Erased avatars that the volume may still hold") },
});

const done = declareRoute("box", {
  method: "post",
  path: "/internal/erasures/done",
  request: { body: takes(erasuresDoneSchema) },
  responses: { 200: answers(erasuresDoneAnswerSchema, "The volume no longer holds them") },
});

export function mountInternalAvatars(app: PortalApp): void {
  app.openapi(report, async (c) => {
    const note = await recordReport(c.var.env.db, c.req.valid("json"));
    return c.json({ ...ok, registry_note: note }, 200);
  });

  app.openapi(media, async (c) =>
    c.json({ files: unwrap(await grantArchive(c.var.env.db, signerOf(c), c.req.valid("json"))) }, 200),
  );

  app.openapi(mediaDone, async (c) => {
    unwrap(await closeArchive(c.var.env, c.req.valid("json")));
    return c.json(ok, 200);
  });

  app.openapi(clip, async (c) => {
    unwrap(await recordClip(c.var.env.db, c.req.valid("json")));
    return c.json(ok, 200);
  });

  app.openapi(pending, async (c) => {
    const { weights_volume: volume } = c.req.valid("json");
    return c.json({ erasures: await readPendingErasures(c.var.env.db, volume) }, 200);
  });

  app.openapi(done, async (c) => {
    const { weights_volume: volume, erasure_ids: ids } = c.req.valid("json");
    await confirmErasures(c.var.env.db, volume, ids);
    return c.json(ok, 200);
  });
}
