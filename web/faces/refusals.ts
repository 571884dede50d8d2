// What a person reads when a photograph is not taken.

import { limits } from "../../contract/limits.ts";
import type { VisavisError } from "../sdk/index.ts";

export interface Refusal {
  title: string;
  detail: string;
}

const acceptedTypes = new Set(["image/png", "image/jpeg"]);

export const acceptAttribute = [...acceptedTypes].join(",");

/** What can be told before anything is sent; null when the file may go. */
export function refuseFile(file: { name: string; size: number; type: string }): Refusal | null {
  if (!acceptedTypes.has(file.type)) {
    return { title: "That is not a photograph", detail: "Choose a JPEG or PNG picture." };
  }
  if (file.size === 0) {
    return { title: "That file is empty", detail: "Choose a photograph that opens on your computer." };
  }
  if (file.size > limits.imageBytes) {
    const mb = (file.size / 1e6).toFixed(1);
    const max = Math.floor(limits.imageBytes / (1024 * 1024));
    return {
      title: "That photograph is too large",
      detail: `It has ${mb} MB; up to ${max} MB are accepted. A smaller copy looks just as good here.`,
    };
  }
  return null;
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
  body_too_large: "That photograph is too large",
  too_many_builds: "One at a time, please",
  box_unavailable: "No studio is free right now",
  network: "The connection broke off",
  timeout: "The connection broke off",
};

const titlesByStatus: Record<number, string> = {
  400: "This photograph cannot be used",
  401: "You are signed out",
  413: "That photograph is too large",
  415: "That kind of picture is not supported",
  429: "One at a time, please",
  503: "No studio is free right now",
};

/** The service's own sentence under a heading of ours. */
export function refusalFromError(error: VisavisError): Refusal {
  const byStatus = error.status === null ? undefined : titlesByStatus[error.status];
  return { title: titles[error.code] ?? byStatus ?? "The upload did not work", detail: error.message };
}
