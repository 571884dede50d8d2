// Avatars as boxes and their owners make them, for tests.

import type { z } from "zod";
import {
  archiveGrantSchema,
  avatarReportAnswerSchema,
  erasuresAnswerSchema,
  type ArchiveFile,
  type AvatarReport,
  type ClipReport,
} from "../../contract/internal/avatars.ts";
import { libraryListSchema, publicListSchema } from "../../contract/library.ts";
import { sha256Hex } from "../platform/digest.ts";
import { asBox, bindings, bodyOf, call, post, type Browser } from "./portal.ts";

export const ann = "ann@example.com";
export const bea = "bea@example.com";

export const nowSeconds = () => Math.floor(Date.now() / 1000);

export const askAsBox = (path: string, body: unknown) => post(`/internal/${path}`, body, asBox("box-a"));

const ready: AvatarReport = {
  account: ann,
  avatar_id: "mary-ann",
  name: null,
  source_kind: "photo",
  state: "ready",
  detail: "",
  region: "au",
  weights_volume: "v1",
};

/** A box tells of an avatar that it takes in now, unless told otherwise. Answers why it is not in the library. */
export async function report(changes: Partial<AvatarReport> = {}): Promise<string> {
  const answer = await askAsBox("avatars/report", { ...ready, made_at: nowSeconds(), ...changes });
  return (await bodyOf(answer, avatarReportAnswerSchema)).registry_note;
}

/** An agreement in the ledger, as the consent routes keep it, about the face that the avatar has now. */
export async function agree({ account = ann, avatarId = "mary-ann" } = {}): Promise<void> {
  const face = await bindings.DB.prepare(
    "SELECT coalesce(source_sha256, archive_id || '@' || made_at) AS face FROM avatars WHERE account = ? AND avatar_id = ?",
  )
    .bind(account, avatarId)
    .first("face");
  await ledger
    .prepare(
      `INSERT INTO publication_consents (attestation_id, account, avatar_id, face, terms_version, terms_sha256, attested_at)
        VALUES (?, ?, ?, ?, '1', ?, ?)`,
    )
    .bind(crypto.randomUUID(), account, avatarId, face ?? "", "0".repeat(64), nowSeconds())
    .run();
}

export const ledger = bindings.LEDGER as D1Database;

export const setVisibility = (browser: Browser, visibility: unknown, avatarId = "mary-ann") =>
  call(`/auth/avatars/${avatarId}/visibility`, { method: "PUT", headers: browser, body: { visibility } });

export const erase = (headers: Record<string, string>, avatarId = "mary-ann") =>
  call(`/auth/avatars/${avatarId}`, { method: "DELETE", headers });

export const libraryOf = async (browser: Browser) =>
  (await bodyOf(await call("/auth/avatars", { headers: browser }), libraryListSchema)).avatars;

export const publicListOf = async (browser: Browser) =>
  (await bodyOf(await call("/auth/avatars/public", { headers: browser }), publicListSchema)).avatars;

export async function still(text = "a picture"): Promise<ArchiveFile> {
  const sha256 = await sha256Hex(text);
  const size = new TextEncoder().encode(text).length;
  return { role: "still", tone: null, filename: "still.jpg", content_type: "image/jpeg", size, sha256 };
}

export async function happyClip(text = "a film"): Promise<ArchiveFile> {
  return {
    ...(await still(text)),
    role: "clip",
    tone: "happy",
    filename: "happy.mp4",
    content_type: "video/mp4",
  };
}

export interface ArchiveOf {
  account?: string;
  avatarId?: string;
  madeAt?: number;
}

const archiveBody = (file: ArchiveFile, { account = ann, avatarId = "mary-ann", madeAt }: ArchiveOf) => ({
  account,
  avatar_id: avatarId,
  ...(madeAt !== undefined && { made_at: madeAt }),
  files: [file],
});

export const askGrant = (file: ArchiveFile, of: ArchiveOf = {}) =>
  askAsBox("avatars/media", archiveBody(file, of));

export const tellDone = (file: ArchiveFile, of: ArchiveOf = {}) =>
  askAsBox("avatars/media/done", archiveBody(file, of));

/** The object's key under a signed URL of the local bucket. */
export const keyOf = (url: string) => new URL(url).pathname.split("/visavis-media/")[1] ?? "";

/** Has a file granted and PUTs it, as a box would over S3; answers the key it has in storage. */
export async function putFile(file: ArchiveFile, text: string, of: ArchiveOf = {}): Promise<string> {
  const { files } = await bodyOf(await askGrant(file, of), archiveGrantSchema);
  const key = keyOf(files[0]?.url ?? "");
  await bindings.MEDIA.put(key, text, { httpMetadata: { contentType: file.content_type } });
  return key;
}

/** Puts a clip of the tone happy into the archive and answers its key. */
export async function archiveClip(of: ArchiveOf = {}, text = "a film"): Promise<string> {
  const file = await happyClip(text);
  const key = await putFile(file, text, of);
  const answer = await tellDone(file, of);
  if (answer.status !== 200) throw new Error(`The archive answered ${answer.status}.`);
  return key;
}

export const clipReport = (changes: Partial<ClipReport["clip"]> = {}): ClipReport => ({
  account: ann,
  avatar_id: "mary-ann",
  clip: {
    tone: "happy",
    state: "generated",
    variant_id: "mary-ann__happy",
    duration_s: 4.2,
    updated_at: nowSeconds(),
    detail: "",
    ...changes,
  },
});

type Pending = z.infer<typeof erasuresAnswerSchema>["erasures"];

export async function pendingOn(weightsVolume: string): Promise<Pending> {
  const answer = await askAsBox("erasures/pending", { weights_volume: weightsVolume });
  return (await bodyOf(answer, erasuresAnswerSchema)).erasures;
}

/** A box sweeps its weights volume. */
export async function sweep(weightsVolume: string): Promise<void> {
  const found = await pendingOn(weightsVolume);
  const ids = found.map(({ erasure_id }) => erasure_id);
  await askAsBox("erasures/done", { weights_volume: weightsVolume, erasure_ids: ids });
}

/** Nothing reaches the consent ledger until it is given back. */
export async function loseLedger(): Promise<() => Promise<void>> {
  const tables = ["publication_consents", "upload_consents"];
  for (const table of tables) await ledger.prepare(`ALTER TABLE ${table} RENAME TO lost_${table}`).run();
  return async () => {
    for (const table of tables) await ledger.prepare(`ALTER TABLE lost_${table} RENAME TO ${table}`).run();
  };
}

/** A bucket that is out of order. */
export const brokenMedia = new Proxy({} as R2Bucket, {
  get: () => () => Promise.reject(new Error("out of order")),
});
