// The photograph of a still, fetched from where it was uploaded.

import type { ClaimedUpload } from "../../contract/internal/avatars.ts";
import { limits } from "../../contract/limits.ts";
import { isImage } from "../../contract/uploads.ts";
import { Refusal } from "../failure.ts";
import { readWithin } from "./bounded-body.ts";

const timeoutMs = 60_000;

/** Rejects with Refusal: `invalid_upload` for an upload of anything else, `uploads_unavailable`. */
export async function fetchPhotograph({
  files,
}: ClaimedUpload): Promise<{ photograph: Uint8Array; photographUrl: string }> {
  const [file, ...more] = files;
  if (!file || more.length > 0 || file.field !== "file" || !isImage(file.content_type))
    throw invalid("The upload must be one PNG or JPEG of at most 15 MB, as file.");
  if (file.size > limits.imageBytes) throw invalid("A photograph may have at most 15 MB.");
  let photograph: Uint8Array | null;
  try {
    const response = await fetch(file.url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`Storage answered ${response.status}.`);
    }
    photograph = await readWithin(response, file.size);
  } catch (cause) {
    throw new Refusal("uploads_unavailable", "The upload could not be fetched just now.", { cause });
  }
  if (photograph?.length !== file.size) throw invalid("The upload is not the file that was granted.");
  return { photograph, photographUrl: file.url };
}

function invalid(message: string): Refusal {
  return new Refusal("invalid_upload", message);
}
