// Sending files with progress. `fetch` cannot report how much of a body has left, `XMLHttpRequest` can.

import type { z } from "zod";
import type { audioUploadedSchema } from "../../contract/audios.ts";
import type { AvatarCreated, Framing } from "../../contract/avatars.ts";
import type { Tone } from "../../contract/tones.ts";
import { clientError, errorFromAnswer } from "./errors.ts";
import type { Http } from "./http.ts";

export type AudioUploaded = z.infer<typeof audioUploadedSchema>;

export interface UploadOptions {
  /** Display name; without it the box derives one from the file name and replaces what it had under that. */
  name?: string;
  framing?: Framing;
  /** How much the face moves by itself, 0..1 (0.5). */
  gestureAmplitude?: number;
  /** Tones to build besides the base one. */
  tones?: readonly Tone[];
  /** The `consent_id` of an attestation to exactly these bytes; tones are built only with one. */
  consentToken?: string;
  /** Declares that a video was made by AI and shows no real person: its tones can then be built as a photograph's are. */
  aiGenerated?: boolean;
  /** Footage of single tones, for a video. */
  takes?: readonly { tone: Tone; file: File }[];
  /** Fraction of the files that has left, 0..1. */
  onProgress?(fraction: number): void;
  signal?: AbortSignal;
}

interface Sending {
  url: string;
  secret: string | null;
  form: FormData;
  onProgress?: ((fraction: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

interface Answer {
  status: number;
  body: string;
  retryAfter: string | null;
}

function send({ url, secret, form, onProgress, signal }: Sending): Promise<Answer> {
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
    request.send(form);
  });
}

/** Text parts go first, so that a server reading in order knows them when the files arrive. */
function avatarForm(file: File, options: UploadOptions): FormData {
  const { name, framing, gestureAmplitude, tones, consentToken, aiGenerated, takes = [] } = options;
  const texts: Record<string, string | undefined> = {
    name,
    framing,
    gesture_amplitude: gestureAmplitude?.toString(),
    tones: tones?.join(","),
    consent_token: consentToken,
    ai_generated: aiGenerated ? "true" : undefined,
  };
  const form = new FormData();
  for (const [part, text] of Object.entries(texts)) if (text !== undefined) form.append(part, text);
  form.append("file", file, file.name);
  const taken = new Map<Tone, number>();
  for (const take of takes) {
    const before = taken.get(take.tone) ?? 0;
    taken.set(take.tone, before + 1);
    const part = before === 0 ? `take__${take.tone}` : `take__${take.tone}__${before}`;
    form.append(part, take.file, take.file.name);
  }
  return form;
}

/** Sends a form. Throws `VisavisError`. */
async function post<Body>(http: Http, path: string, sending: Omit<Sending, "url" | "secret">): Promise<Body> {
  const url = http.url(path);
  let answer = await send({ ...sending, url, secret: await http.credentials.get() });
  if (answer.status === 401 && http.credentials.renewable) {
    const secret = await http.credentials.renew();
    answer = await send({ ...sending, url, secret });
  }
  if (answer.status < 200 || answer.status > 299) throw errorFromAnswer(answer);
  try {
    return JSON.parse(answer.body) as Body;
  } catch (thrown) {
    throw clientError("invalid_answer", "The service answered with something that is not JSON.", thrown);
  }
}

/** `POST /api/avatar`. Throws `VisavisError`; a refusal's message may be shown to the person who chose the picture. */
export function uploadAvatar(http: Http, file: File, options: UploadOptions): Promise<AvatarCreated> {
  const { onProgress, signal } = options;
  return post(http, "/api/avatar", { form: avatarForm(file, options), onProgress, signal });
}

/** `POST /api/upload`: a sound file that a session can speak. */
export function uploadAudio(
  http: Http,
  file: File,
  { onProgress, signal }: Pick<UploadOptions, "onProgress" | "signal">,
): Promise<AudioUploaded> {
  const form = new FormData();
  form.append("file", file, file.name);
  return post(http, "/api/upload", { form, onProgress, signal });
}
