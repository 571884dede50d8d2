// Sending a picture with progress. `fetch` cannot report how much of a body has left, `XMLHttpRequest` can.

import type { AvatarCreated, Framing } from "../../contract/avatars.ts";
import { clientError, errorFromAnswer } from "./errors.ts";
import type { Http } from "./http.ts";

export interface UploadOptions {
  /** Display name; without it the box derives one from the file name and replaces what it had under that. */
  name?: string;
  framing?: Framing;
  /** The `consent_id` of an attestation to exactly these bytes; tones are built only with one. */
  consentToken?: string;
  /** Fraction of the file that has left, 0..1. */
  onProgress?(fraction: number): void;
  signal?: AbortSignal;
}

interface SendOptions extends UploadOptions {
  url: string;
  secret: string | null;
  file: File;
}

interface Answer {
  status: number;
  body: string;
  retryAfter: string | null;
}

function send({
  url,
  secret,
  file,
  name,
  framing,
  consentToken,
  onProgress,
  signal,
}: SendOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(clientError("aborted", "The upload was cancelled."));
      return;
    }
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const settle = (act: () => void) => {
      signal?.removeEventListener("abort", abort);
      act();
    };
    request.open("POST", url);
    if (secret !== null) request.setRequestHeader("X-Api-Key", secret);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress?.(event.loaded / event.total);
    });
    request.addEventListener("load", () =>
      settle(() =>
        resolve({
          status: request.status,
          body: request.responseText,
          retryAfter: request.getResponseHeader("Retry-After"),
        }),
      ),
    );
    request.addEventListener("error", () =>
      settle(() => reject(clientError("network", "The upload broke off: the service could not be reached."))),
    );
    request.addEventListener("abort", () =>
      settle(() => reject(clientError("aborted", "The upload was cancelled."))),
    );
    signal?.addEventListener("abort", abort, { once: true });
    const form = new FormData();
    // Text parts go first, so that a server reading in order knows them when the file arrives.
    if (name !== undefined) form.append("name", name);
    if (framing !== undefined) form.append("framing", framing);
    if (consentToken !== undefined) form.append("consent_token", consentToken);
    form.append("file", file, file.name);
    request.send(form);
  });
}

/** `POST /api/avatar`. Throws `VisavisError`; a refusal's message may be shown to the person who chose the picture. */
export async function uploadAvatar(http: Http, file: File, options: UploadOptions): Promise<AvatarCreated> {
  const url = http.url("/api/avatar");
  let answer = await send({ ...options, url, file, secret: await http.credentials.get() });
  if (answer.status === 401 && http.credentials.renewable) {
    const secret = await http.credentials.renew();
    answer = await send({ ...options, url, file, secret });
  }
  if (answer.status < 200 || answer.status > 299) throw errorFromAnswer(answer);
  try {
    return JSON.parse(answer.body) as AvatarCreated;
  } catch (thrown) {
    throw clientError("invalid_answer", "The service answered with something that is not JSON.", thrown);
  }
}
