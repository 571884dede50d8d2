// What a person reads when a photograph or a video is not taken.

import { limits } from "../../contract/limits.ts";
import type { VisavisError } from "../sdk/index.ts";

export interface Refusal {
  title: string;
  detail: string;
}

export type SourceKind = "photo" | "video";

const photoTypes = new Set(["image/png", "image/jpeg"]);
const videoTypes = new Set(["video/mp4", "video/quicktime", "video/webm"]);
const videoNames = /\.(?:mp4|mov|webm|mkv)$/i;

export const videoAcceptAttribute = [...videoTypes, ".mkv"].join(",");
export const acceptAttribute = [...photoTypes, ...videoTypes].join(",");

/** Browsers know a type by the name's ending, and some know fewer than the box. */
export function sourceKind({ type, name }: { type: string; name: string }): SourceKind | null {
  if (photoTypes.has(type)) return "photo";
  return videoTypes.has(type) || videoNames.test(name) ? "video" : null;
}

const megabytes = (bytes: number) => Math.floor(bytes / (1024 * 1024));

/** What can be told before anything is sent; null when the file may go. */
export function refuseFile(file: { name: string; size: number; type: string }): Refusal | null {
  const kind = sourceKind(file);
  if (!kind) {
    return {
      title: "That is neither a photograph nor a video",
      detail: "Choose a JPEG or PNG picture, or an MP4, MOV or WEBM video.",
    };
  }
  const what = kind === "photo" ? "photograph" : "video";
  if (file.size === 0) {
    return { title: "That file is empty", detail: `Choose a ${what} that opens on your computer.` };
  }
  const most = kind === "photo" ? limits.imageBytes : limits.videoBytes;
  if (file.size > most) {
    const mb = (file.size / 1e6).toFixed(1);
    const hint =
      kind === "photo"
        ? "A smaller copy looks just as good here."
        : `${limits.videoSeconds.kept} seconds of a face are enough.`;
    return {
      title: `That ${what} is too large`,
      detail: `It has ${mb} MB; up to ${megabytes(most)} MB are accepted. ${hint}`,
    };
  }
  return null;
}

/** Why footage of a tone is not taken; null when it is. */
export function refuseTake(file: { name: string; size: number; type: string }): Refusal | null {
  if (sourceKind(file) === "photo")
    return { title: "That is no video", detail: "Footage of a tone is an MP4, MOV, WEBM or MKV video." };
  return refuseFile(file);
}

const titles: Record<string, string> = {
  no_face: "No face to be found",
  several_faces: "More than one face",
  face_too_small: "The face is too small",
  face_turned_away: "The face looks away",
  face_unusable: "This face cannot be used",
  image_unreadable: "The picture cannot be read",
  image_unsupported: "That kind of picture is not supported",
  image_too_large: "That photograph is too large",
  image_too_many_pixels: "That photograph is too large",
  image_too_small: "That photograph is too small",
  body_too_large: "That is too large",
  video_unreadable: "The video cannot be read",
  video_unsupported: "That kind of video is not supported",
  video_too_large: "That video is too large",
  video_too_short: "That video is too short",
  video_too_long: "That video is too long",
  video_too_small: "The picture of that video is too small",
  declaration_required: "Is this video made by AI?",
  consent_required: "Nobody has agreed to this yet",
  consents_unavailable: "Your agreement could not be recorded",
  unknown_tone: "There is no such tone",
  avatar_clips_unavailable: "This studio makes no tones",
  clip_already_generating: "That tone is being made already",
  clip_generator_unavailable: "Tones cannot be made right now",
  storage_full: "The studio is full",
  feature_disabled: "This studio does not make such faces",
  avatar_busy: "That face is being made already",
  too_many_builds: "One at a time, please",
  box_unavailable: "No studio is free right now",
  network: "The connection broke off",
  timeout: "The connection broke off",
};

const titlesByStatus: Record<number, string> = {
  400: "This file cannot be used",
  401: "You are signed out",
  413: "That is too large",
  415: "That kind of file is not supported",
  429: "One at a time, please",
  503: "No studio is free right now",
};

/** The service's own sentence under a heading of ours. */
export function refusalFromError(error: VisavisError): Refusal {
  const byStatus = error.status === null ? undefined : titlesByStatus[error.status];
  return { title: titles[error.code] ?? byStatus ?? "The upload did not work", detail: error.message };
}
