// One tone's clip on demand: refused for every reason there is before anybody is asked to make it.

import { variantId } from "../../../contract/avatars.ts";
import { baseTone, type Tone } from "../../../contract/tones.ts";
import { Refusal } from "../../failure.ts";
import type { BuildQueue, Claim } from "../build-queue.ts";
import type { Builds } from "../builds.ts";
import { AvatarError } from "../errors.ts";
import { withDisk } from "../faults.ts";
import type { CheckConsent } from "../intake.ts";
import type { Journal } from "../journal.ts";
import {
  epochSeconds,
  generating,
  isServable,
  remadeBase,
  type AvatarRecord,
  type ClipTemplate,
} from "../record.ts";
import type { Shelf } from "../shelf.ts";
import { digestOfFile } from "../upload.ts";
import type { ClipGenerator } from "./generator.ts";
import { parseTone } from "./plan.ts";

export interface RetryRequest {
  /** Undefined where the account has no such avatar. */
  record: AvatarRecord | undefined;
  account: string;
  tone: string;
  template: Exclude<ClipTemplate, "footage"> | null;
  generator: ClipGenerator | null;
  checkConsent: CheckConsent;
  shelf: Shelf;
  queue: BuildQueue;
  builds: Builds;
  journal: Journal;
}

export interface RetryAnswer {
  avatar: string;
  tone: Tone;
  variant_id: string;
  state: "generating";
}

export async function retryClip(request: RetryRequest): Promise<RetryAnswer> {
  const { record, template, generator, shelf, queue, builds } = request;
  if (!record) throw new AvatarError("unknown_avatar", "There is no such avatar of yours on this box.");
  const tone = parseTone(request.tone);
  if (template === null)
    throw new AvatarError("avatar_clips_unavailable", "This box builds no emotion clips.");
  await requireConsent(request, record);
  const { id } = record;
  const claim = queue.claimTone(id, tone);
  let base: Claim | undefined;
  let before = record;
  try {
    const fromTakes = (record.takes?.[tone] ?? []).length > 0 || tone === baseTone;
    if (!fromTakes && generator && !(await generator.reachable()))
      throw new AvatarError("clip_generator_unavailable", "The clip generator cannot be reached just now.");
    // An avatar that failed has no tones: it is built first.
    if (tone !== baseTone && shelf.get(id)?.status === "failed") base = queue.claimTone(id, baseTone);
    const changed = await withDisk(() =>
      shelf.change(id, (now) => {
        if (now.upload !== record.upload || claim.signal.aborted) return undefined;
        before = now;
        const rebuilt = base || tone === baseTone ? beginBase(now, template) : now;
        if (tone === baseTone) return rebuilt;
        const clip = generating(fromTakes ? "footage" : template, now.clips?.[tone]);
        // Whoever asks again wants another one than the generator made before.
        delete clip.generated_file;
        return { ...rebuilt, clips: { ...rebuilt.clips, [tone]: clip } };
      }),
    ).catch(async (error: unknown) => {
      await shelf.change(id, (now) => takeBack(now, before, tone)).catch(() => undefined);
      throw error;
    });
    if (!changed) throw new AvatarError("unknown_avatar", "There is no such avatar of yours on this box.");
    if (changed.status === "preparing") request.journal.queued(id);
    else request.journal.settle(changed);
  } catch (error) {
    base?.release();
    claim.release();
    throw error;
  }
  if (base) builds.startAvatar(base);
  if (tone === baseTone) builds.startAvatar(claim);
  else builds.startTone(claim);
  builds.tell(id, tone);
  return { avatar: id, tone, variant_id: variantId(id, tone), state: "generating" };
}

/** An avatar that can be shown stays as it is until it has been built anew. */
function beginBase(now: AvatarRecord, template: ClipTemplate): AvatarRecord {
  const updated_at = epochSeconds();
  if (!isServable(now)) return { ...now, status: "preparing", detail: "", updated_at };
  return { ...now, clips: { ...now.clips, [baseTone]: remadeBase(now, template) }, updated_at };
}

/** What was not written down has not begun; whatever else moved meanwhile stays moved. */
function takeBack(now: AvatarRecord, before: AvatarRecord, tone: Tone): AvatarRecord | undefined {
  if (now.upload !== before.upload) return undefined;
  const { [tone]: _, ...others } = now.clips ?? {};
  const clip = before.clips?.[tone];
  const isBase = tone === baseTone || before.status === "failed";
  return {
    ...now,
    ...(isBase && { status: before.status, detail: before.detail }),
    clips: { ...others, ...(clip && { [tone]: clip }) },
  };
}

/** The agreement must be on record, and be about exactly the file that is still here. */
async function requireConsent(
  { account, checkConsent, shelf }: RetryRequest,
  record: AvatarRecord,
): Promise<void> {
  const refused = (message: string) => new AvatarError("consent_required", message);
  const { consent, original } = record;
  if (!consent || !original)
    throw refused(
      "No agreement to this likeness came with the upload. Upload it again with a consent_token.",
    );
  const path = shelf.store.uploaded(record, original.file);
  const sha256 = await digestOfFile(path).catch(() => null);
  if (sha256 !== consent.sha256)
    throw refused("The photograph that was agreed to is gone or has changed. Upload it again.");
  if (consent.agreed) return;
  const agreed = await checkConsent({ account, token: consent.token, sha256 }).catch((error: unknown) => {
    throw new Refusal("consents_unavailable", "The agreement could not be checked just now; try again.", {
      cause: error,
    });
  });
  if (!agreed) throw refused("The consent_token is not an agreement to exactly this photograph.");
  await shelf.change(record.id, (now) =>
    now.upload === record.upload ? { ...now, consent: { ...consent, agreed: true } } : undefined,
  );
}
