// Seated stills: jobs that turn an uploaded photograph into the same person seated for a call. A job is begun by the
// request that asked for it; if that Worker dies, the clean-up begins it again. Nobody begins a job twice at once.

import { limits } from "../../contract/limits.ts";
import type { StillJob, StillRequest } from "../../contract/stills.ts";
import { isImage } from "../../contract/uploads.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, rateLimited, success, type Outcome } from "../platform/errors.ts";
import { GeneratorError } from "../platform/generator-client.ts";
import { newId } from "../platform/ids.ts";
import { describeError, log } from "../platform/log.ts";
import { signerAt, type Signer } from "../platform/storage.ts";
import { openUpload, type OpenedFile } from "../uploads/uploads.ts";
import type { StillAnswer, StillRefusal } from "./generator.ts";
import { stillGeneratorOf } from "./generators.ts";
import {
  claimJob,
  deleteJobs,
  endJob,
  failExhausted,
  findJob,
  insertJob,
  listEnded,
  listSilent,
  secondsUntilRoom,
  type Ending,
  type StillJobRow,
} from "./store.ts";

/** Longer than any try takes: a job nobody has touched for this long was begun by a Worker that is gone. */
const silentSeconds = 5 * 60;
const maxTries = 3;
const hourSeconds = 3600;
/** Jobs one clean-up begins again, one after the other: a try may take two minutes, a clean-up fifteen. */
const begunAgain = 6;
const removedAtOnce = 500;

type Workshop = Pick<Env, "db" | "media" | "s3" | "stillUrl">;

/** What people are told. The generator's own words are its operator's business. */
const messages: Record<StillRefusal, string> = {
  not_the_same_person: "The still did not show the same person as the photograph. Try another photograph.",
  bad_request: "No still can be made of this photograph with this note and look.",
  generation_failed: "The still could not be made. Try again.",
};

const unavailable = failure("seated_still_unavailable", "No seated stills are made here.");
const unknownJob = failure("unknown_job", "You have no such job, or it is older than a day.");

const keptSince = () => nowSeconds() - limits.stillKeptSeconds;

const keyOf = (id: string): string => `stills/${id}.png`;

/** The photograph of an upload, or why there is none. */
async function openPhotograph(
  stores: Pick<Env, "db" | "media">,
  upload: { account: string; uploadId: string },
): Promise<Outcome<OpenedFile>> {
  const opened = await openUpload(stores, upload);
  if (!opened.ok) return opened;
  const file = opened.value.files.find(({ field }) => field === "file");
  if (!file || !isImage(file.contentType) || file.size > limits.imageBytes) {
    return failure("invalid_upload", 'The upload\'s "file" must be a PNG or JPEG of at most 15 MB.');
  }
  return success(file);
}

export interface StartRequest {
  account: string;
  portalOrigin: string;
  request: StillRequest;
}

/** Notes a job and answers its id; whoever asked must then let {@link runJob} go on behind the answer. */
export async function startJob(
  workshop: Workshop,
  { account, portalOrigin, request }: StartRequest,
): Promise<Outcome<string>> {
  if (!stillGeneratorOf(workshop) || !signerAt(workshop, portalOrigin)) return unavailable;
  const { upload_id: uploadId, note, look } = request;
  const photograph = await openPhotograph(workshop, { account, uploadId });
  if (!photograph.ok) return photograph;
  const id = newId();
  const now = nowSeconds();
  const job = {
    id,
    account,
    uploadId,
    note: note ?? null,
    look: look ?? null,
    portalOrigin,
    createdAt: now,
  };
  const window = { account, now, seconds: hourSeconds, most: limits.stillsPerHour };
  if (await insertJob(workshop.db, job, window)) return success(id);
  const wait = (await secondsUntilRoom(workshop.db, window)) ?? 1;
  return rateLimited(`An account has ${window.most} seated stills an hour. Try again later.`, wait);
}

async function generate(workshop: Workshop, job: StillJobRow): Promise<StillAnswer> {
  const generator = stillGeneratorOf(workshop);
  const signer = signerAt(workshop, job.portalOrigin);
  if (!generator || !signer) return { ok: false, error: "generation_failed" };
  const photograph = await openPhotograph(workshop, { account: job.account, uploadId: job.uploadId });
  if (!photograph.ok) {
    // A store that fails may be back at the next try; a photograph that is gone stays gone.
    if (photograph.failure.code === "uploads_unavailable") throw photograph.cause;
    return { ok: false, error: "bad_request" };
  }
  const imageUrl = await signer.get(photograph.value.key);
  try {
    return await generator.make({ imageUrl, note: job.note, look: job.look });
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    log("warn", "still_generator", describeError(error));
    return { ok: false, error: "generation_failed" };
  }
}

async function finish({ db, media }: Workshop, job: StillJobRow, answer: StillAnswer): Promise<void> {
  let ending: Ending;
  if (answer.ok) {
    const { png, identityChecked, identityScore } = answer;
    await media.put(keyOf(job.id), png, { httpMetadata: { contentType: "image/png" } });
    ending = { state: "done", identityChecked, identityScore };
  } else {
    ending = { state: "failed", error: answer.error, message: messages[answer.error] };
  }
  await endJob(db, job, { ...ending, now: nowSeconds() });
}

/**
 * Begins a job, if it is there to begin, and sees it through. Never throws: when a store fails, the job stays as it is
 * and the clean-up begins it again.
 */
export async function runJob(workshop: Workshop, id: string): Promise<void> {
  try {
    const now = nowSeconds();
    const job = await claimJob(workshop.db, { id, now, silentSince: now - silentSeconds, maxTries });
    if (job) await finish(workshop, job, await generate(workshop, job));
  } catch (error) {
    log("error", "still_job", { job: id, ...describeError(error) });
  }
}

export async function readJob(
  db: D1Database,
  signer: Signer | null,
  { account, id }: { account: string; id: string },
): Promise<Outcome<StillJob>> {
  const job = await findJob(db, { account, id, keptSince: keptSince() });
  if (!job) return unknownJob;
  switch (job.state) {
    case "pending":
    case "running":
      return success({ state: job.state });
    case "failed": {
      const error = job.error ?? "generation_failed";
      return success({ state: "failed", error, message: job.message ?? messages[error] });
    }
    case "done":
      if (!signer) return unavailable;
      return success({
        state: "done",
        image_url: await signer.get(keyOf(job.id)),
        identity_checked: job.identityChecked,
        identity_score: job.identityScore,
      });
  }
}

/** The clean-up's first task: gives up on jobs that were begun too often and begins other silent ones again. */
export async function resumeJobs(workshop: Workshop): Promise<void> {
  const now = nowSeconds();
  const silentSince = now - silentSeconds;
  await failExhausted(workshop.db, { now, silentSince, maxTries, message: messages.generation_failed });
  // A job that is about to be removed is left alone, so that no picture is written behind the removal.
  const createdSince = keptSince() + silentSeconds;
  const ids = await listSilent(workshop.db, { silentSince, createdSince, limit: begunAgain });
  // Several answers at once would take much of the memory that a Worker has.
  for (const id of ids) await runJob(workshop, id);
}

/** The clean-up's second task: removes the pictures, then the rows, of jobs that have had their day. */
export async function removeOldJobs({ db, media }: Pick<Env, "db" | "media">): Promise<void> {
  const ended = await listEnded(db, { keptSince: keptSince(), limit: removedAtOnce });
  if (ended.length === 0) return;
  await media.delete(ended.map(keyOf));
  await deleteJobs(db, ended);
}
