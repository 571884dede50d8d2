// From an upload to a record with its files: everything that is checked before anything is built.

import { baseTone, type Tone } from "../../contract/tones.ts";
import { Refusal } from "../failure.ts";
import { parseTones, planTones, type ConsentState, type Plan } from "./clips/plan.ts";
import { squareOf } from "./entry.ts";
import { AvatarError } from "./errors.ts";
import { parseFraming } from "./framing.ts";
import type { FaceFinder } from "./landmarks.ts";
import type { Media } from "../media/media.ts";
import { checkPhoto, encodeSource, PREPARATION_VERSION } from "./prepare.ts";
import type { CheckedPhoto } from "./prepare.ts";
import {
  epochSeconds,
  generating,
  type AvatarRecord,
  type ClipTemplate,
  type ConsentRecord,
} from "./record.ts";
import { SOURCE_FILE, type UploadFile } from "./store.ts";
import {
  checkVideo,
  parseAmplitude,
  readUpload,
  sortTakes,
  storedTake,
  type CreateAvatarRequest,
  type Take,
  type UploadedFile,
} from "./upload.ts";

export type CheckConsent = (asked: { account: string; token: string; sha256: string }) => Promise<boolean>;

export interface IntakeOptions {
  media: Media;
  finder: FaceFinder;
  checkConsent: CheckConsent;
  /** Who makes clips from a still here; null: nobody. */
  generator: Exclude<ClipTemplate, "footage"> | null;
}

/** What an upload comes to, before it has a folder. */
export interface Taken {
  record: Omit<AvatarRecord, "id" | "display_name" | "build" | "created_at" | "upload">;
  files: UploadFile[];
  plan: Plan;
  photo: CheckedPhoto | undefined;
}

/** Rejects with AvatarError: what is wrong with the files or with what is asked of them. Files are left where they are. */
export async function takeIn(
  request: CreateAvatarRequest,
  { media, finder, checkConsent, generator }: IntakeOptions,
  onStep: (step: "decode" | "landmarks") => void,
): Promise<Taken> {
  const asked = parseTones(request.tones);
  const file = await readUpload(request);
  const { byTone, unusable } = sortTakes(file.kind === "video" ? (request.takes ?? []) : []);
  const takes = file.kind === "video" ? [...byTone.keys()] : (request.takes ?? []).map(({ tone }) => tone);
  const { aiGenerated = false, strict = false } = request;
  if (strict) requireDeclared(file, aiGenerated);
  const usesOptions = file.kind === "photo" ? generator !== null : takes.length > 0 || aiGenerated;
  const consent = await consentOf(request, file, { checkConsent, wanted: usesOptions && generator !== null });
  const plan = planTones({
    kind: file.kind,
    asked,
    takes,
    aiGenerated,
    generator,
    consent: stateOf(consent, request),
  });
  if (strict) requireComing({ asked, plan, file, consent, request });
  const framing = usesOptions ? parseFraming(request.framing?.trim()) : "bust";
  const amplitude = usesOptions ? parseAmplitude(request.gestureAmplitude) : 0.5;

  const used = new Map(
    [...byTone].filter(([tone]) => tone === baseTone || plan.coming.some((coming) => coming.tone === tone)),
  );
  let photo: CheckedPhoto | undefined;
  const files: UploadFile[] = [];
  if (file.kind === "photo" && file.bytes) {
    photo = await checkPhoto({
      bytes: file.bytes,
      framing,
      finder,
      media,
      onStep: (step) => forward(step, onStep),
    });
    files.push({ name: SOURCE_FILE, content: { bytes: await encodeSource(photo.source) } });
  } else {
    onStep("decode");
    await checkVideos(file, used, media);
  }
  files.push({ name: file.stored, content: contentOf(file) });
  const stored: Partial<Record<Tone, string[]>> = {};
  for (const [tone, list] of used) {
    stored[tone] = list.map(({ filename }, index) => storedTake(tone, index, filename));
    for (const [index, { path, filename }] of list.entries())
      files.push({ name: storedTake(tone, index, filename), content: { path, keep: false } });
  }
  const lost = unusable.map(({ filename }) => JSON.stringify(filename.slice(0, 100))).join(", ");
  const note = lost && `A take must be .webm, .mp4, .mov or .mkv: ${lost} is not used.`;
  const now = epochSeconds();
  return {
    photo,
    files,
    plan: { ...plan, note: [plan.note, note].filter((part) => part !== "").join(" ") },
    record: {
      owner: request.owner,
      status: "preparing",
      detail: "",
      framing,
      gesture_amplitude: amplitude,
      filename: request.filename,
      sha256: file.sha256,
      version: PREPARATION_VERSION,
      ...(photo && { square: squareOf(photo) }),
      taken_at: now,
      kind: file.kind,
      original: { file: file.stored, bytes: file.size, content_type: file.contentType },
      ...(used.size > 0 && { takes: stored }),
      ...(consent && { consent }),
      clips: Object.fromEntries(plan.coming.map(({ tone, template }) => [tone, generating(template)])),
      updated_at: now,
    },
  };
}

function forward(step: string, onStep: (step: "decode" | "landmarks") => void): void {
  if (step === "decode" || step === "landmarks") onStep(step);
}

function requireDeclared({ kind }: UploadedFile, aiGenerated: boolean): void {
  if (kind === "photo" || aiGenerated) return;
  throw new AvatarError(
    "declaration_required",
    "A video may stand for a photograph only with ai_generated=true: that it was made by AI and shows no real person.",
  );
}

/** For callers who want every clip they asked for, or nothing. */
function requireComing({
  asked,
  plan,
  file,
  consent,
  request,
}: {
  asked: readonly Tone[] | null;
  plan: Plan;
  file: UploadedFile;
  consent: ConsentRecord | undefined;
  request: CreateAvatarRequest;
}): void {
  if (file.kind === "photo" && !consent?.agreed) {
    if (stateOf(consent, request) === "unknown")
      throw new Refusal("consents_unavailable", "The agreement could not be checked just now; try again.");
    throw new AvatarError(
      "consent_required",
      "consent_token must name an agreement to exactly this photograph (POST /auth/consents).",
    );
  }
  const wanted = (asked ?? []).filter((tone) => tone !== baseTone);
  if (wanted.some((tone) => !plan.coming.some((coming) => coming.tone === tone)))
    throw new AvatarError("avatar_clips_unavailable", "This box builds no emotion clips.");
}

/** A token that was not agreed to is not kept; one that could not be checked is, to be checked when it is needed. */
async function consentOf(
  { owner, consentToken }: CreateAvatarRequest,
  { sha256 }: UploadedFile,
  { checkConsent, wanted }: { checkConsent: CheckConsent; wanted: boolean },
): Promise<ConsentRecord | undefined> {
  const token = consentToken?.trim().slice(0, 100) ?? "";
  if (token === "" || !wanted) return undefined;
  try {
    const agreed = await checkConsent({ account: owner, token, sha256 });
    return agreed ? { token, sha256, agreed } : undefined;
  } catch {
    return { token, sha256, agreed: false };
  }
}

function stateOf(consent: ConsentRecord | undefined, { consentToken }: CreateAvatarRequest): ConsentState {
  if (consent) return consent.agreed ? "agreed" : "unknown";
  return (consentToken?.trim() ?? "") === "" ? "missing" : "refused";
}

function contentOf({ bytes, path }: UploadedFile): UploadFile["content"] {
  if (path !== null) return { path, keep: false };
  return { bytes: bytes ?? new Uint8Array() };
}

async function checkVideos(
  { path }: UploadedFile,
  used: ReadonlyMap<Tone, Take[]>,
  media: Media,
): Promise<void> {
  if (path === null) throw new TypeError("A video is read from a file.");
  await checkVideo(media, path, "The video");
  for (const [tone, takes] of used)
    for (const take of takes) await checkVideo(media, take.path, `The take of ${tone}`);
}
