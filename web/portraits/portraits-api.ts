// The portal's routes for portraits, uploads and seated stills, as the pages of this folder call them.

import { type Consent, type ConsentRequest, consentCreatedSchema } from "../../contract/consents.ts";
import { type Portrait, portraitSchema } from "../../contract/portraits.ts";
import {
  type StillJob,
  stillJobSchema,
  type StillRequest,
  stillStartedSchema,
} from "../../contract/stills.ts";
import {
  type PutGrant,
  type UploadGrant,
  uploadGrantSchema,
  type UploadRequest,
} from "../../contract/uploads.ts";
import { requestPortal } from "../portal/request.ts";
import { asVisavisError, VisavisError } from "../sdk/index.ts";

export interface PutOptions {
  /** Fraction of the file that has left, 0..1. */
  onProgress(fraction: number): void;
  signal: AbortSignal;
}

/** Every method rejects with `VisavisError`. */
export interface PortraitsApi {
  generate(persona: string): Promise<Portrait>;
  read(id: string): Promise<Portrait>;
  regenerate(id: string): Promise<Portrait>;
  approve(id: string, sha256: string): Promise<Portrait>;
  attest(request: ConsentRequest): Promise<Consent>;
  grantUpload(request: UploadRequest): Promise<UploadGrant>;
  /** Sends a file to where the grant says. */
  put(file: Blob, grant: PutGrant, options: PutOptions): Promise<void>;
  startStill(request: StillRequest): Promise<string>;
  stillJob(id: string): Promise<StillJob>;
  /** The bytes behind a signed URL. */
  download(url: string): Promise<Blob>;
}

/** Drawing a picture may take a generator outside a minute or two. */
const drawingMs = 150_000;

/** Sends a file with progress, which `fetch` cannot report. */
function put(file: Blob, { url, headers }: PutGrant, { onProgress, signal }: PutOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (code: string, message: string, status?: number) =>
      reject(new VisavisError({ code, message, ...(status === undefined ? {} : { status }) }));
    if (signal.aborted) return fail("aborted", "The upload was cancelled.");
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort, { once: true });
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else fail("upload_refused", "The storage did not take the photograph. Try again.", request.status);
    });
    request.addEventListener("error", () =>
      fail("network", "The upload broke off: the storage could not be reached."),
    );
    request.addEventListener("abort", () => fail("aborted", "The upload was cancelled."));
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(file);
  });
}

async function download(url: string): Promise<Blob> {
  let response: Response;
  try {
    // A signed URL carries its own permission, and must not be given the person's cookie as well.
    response = await fetch(url, { credentials: "omit", signal: AbortSignal.timeout(60_000) });
  } catch (thrown) {
    throw asVisavisError(thrown);
  }
  if (!response.ok) {
    const message =
      "The picture is no longer to be had under this link. Look at it again, then try once more.";
    throw new VisavisError({ code: "picture_gone", message, status: response.status });
  }
  return response.blob();
}

const portraitPath = (id: string): string => `/auth/portraits/${encodeURIComponent(id)}`;

/** The routes of the portal the page came from. */
export const portraitsApi: PortraitsApi = {
  generate: async (persona) => {
    const request = { method: "POST", json: { persona }, timeoutMs: drawingMs } as const;
    return (await requestPortal("/auth/portraits", portraitSchema, request)).portrait;
  },
  read: async (id) => (await requestPortal(portraitPath(id), portraitSchema)).portrait,
  regenerate: async (id) => {
    const request = { method: "POST", timeoutMs: drawingMs } as const;
    return (await requestPortal(`${portraitPath(id)}/regenerate`, portraitSchema, request)).portrait;
  },
  approve: async (id, sha256) => {
    const request = { method: "POST", json: { sha256 } } as const;
    return (await requestPortal(`${portraitPath(id)}/approve`, portraitSchema, request)).portrait;
  },
  attest: async (json) =>
    (await requestPortal("/auth/consents", consentCreatedSchema, { method: "POST", json })).consent,
  grantUpload: (json) => requestPortal("/auth/uploads", uploadGrantSchema, { method: "POST", json }),
  put,
  startStill: async (json) =>
    (await requestPortal("/auth/seated-still", stillStartedSchema, { method: "POST", json })).job_id,
  stillJob: (id) => requestPortal(`/auth/seated-still/${encodeURIComponent(id)}`, stillJobSchema),
  download,
};
