// A seated still: a photograph goes up, the same person comes back seated and framed for a call.

import { limits } from "../../contract/limits.ts";
import type { StillJob } from "../../contract/stills.ts";
import { imageTypes, type UploadType } from "../../contract/uploads.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { PortraitsApi } from "./portraits-api.ts";

export type StillPhase =
  | { step: "choosing"; problem: string | null }
  | { step: "describing"; file: File; photo: string; problem: string | null }
  | { step: "sending"; file: File; photo: string; fraction: number }
  | { step: "waiting"; photo: string; state: "pending" | "running" }
  | { step: "done"; photo: string; job: string; result: Extract<StillJob, { state: "done" }> };

export interface StillState {
  phase: StillPhase;
  note: string;
  outfit: string;
  /** False once the portal said that nobody makes stills here. */
  available: boolean;
}

type Api = Pick<PortraitsApi, "grantUpload" | "put" | "startStill" | "stillJob">;

export interface StillOptions {
  api: Api;
  /** How long to wait between two looks at the job. */
  pollMs?: number;
}

function isImageType(type: string): type is UploadType {
  return imageTypes.some((candidate) => candidate === type);
}

function refuse(file: File): string | null {
  if (!isImageType(file.type)) return "Choose a JPEG or PNG picture.";
  if (file.size === 0) return "That file is empty.";
  const max = Math.floor(limits.imageBytes / (1024 * 1024));
  return file.size > limits.imageBytes ? `A photograph may have up to ${max} MB.` : null;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

export class StillStore extends Store<StillState> {
  readonly #api: Api;
  readonly #pollMs: number;
  #abort: AbortController | null = null;

  constructor({ api, pollMs = 1500 }: StillOptions) {
    super({ phase: { step: "choosing", problem: null }, note: "", outfit: "", available: true });
    this.#api = api;
    this.#pollMs = pollMs;
  }

  readonly setNote = (note: string): void => this.update({ note });
  readonly setOutfit = (outfit: string): void => this.update({ outfit });

  readonly choose = (file: File): void => {
    const { step } = this.get().phase;
    if (step === "sending" || step === "waiting") return;
    const problem = refuse(file);
    this.#move(
      problem
        ? { step: "choosing", problem }
        : { step: "describing", file, photo: URL.createObjectURL(file), problem: null },
    );
  };

  /** Gives up what is under way and starts over. */
  readonly reset = (): void => {
    this.#abort?.abort();
    this.#abort = null;
    this.#move({ step: "choosing", problem: null });
  };

  readonly start = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "describing") return;
    const { file, photo } = phase;
    if (!isImageType(file.type)) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.#move({ step: "sending", file, photo, fraction: 0 });
    try {
      const uploadId = await this.#send({ file, photo, contentType: file.type, signal: abort.signal });
      const job = await this.#api.startStill({ upload_id: uploadId, ...this.#wishes() });
      if (!abort.signal.aborted) await this.#follow({ job, file, photo, signal: abort.signal });
    } catch (thrown) {
      if (abort.signal.aborted) return;
      const error = asVisavisError(thrown);
      if (error.code === "seated_still_unavailable") this.update({ available: false });
      this.#move({ step: "describing", file, photo, problem: error.message });
    }
  };

  /** The result's signed URL lapsed. */
  readonly renew = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "done") return;
    const result = await this.#api.stillJob(phase.job).catch(() => null);
    if (result?.state === "done" && this.get().phase === phase) this.#move({ ...phase, result });
  };

  async #send({
    file,
    photo,
    contentType,
    signal,
  }: {
    file: File;
    photo: string;
    contentType: UploadType;
    signal: AbortSignal;
  }): Promise<string> {
    const grant = await this.#api.grantUpload({
      files: [{ field: "file", filename: file.name.slice(-200), content_type: contentType, size: file.size }],
    });
    const [target] = grant.files;
    if (!target) throw new Error("The grant names no file.");
    await this.#api.put(file, target, {
      signal,
      onProgress: (fraction) => {
        if (!signal.aborted) this.#move({ step: "sending", file, photo, fraction });
      },
    });
    return grant.upload_id;
  }

  #wishes(): { note?: string; look?: Record<string, string> } {
    const note = this.get().note.trim();
    const outfit = this.get().outfit.trim();
    return { ...(note ? { note } : {}), ...(outfit ? { look: { outfit } } : {}) };
  }

  async #follow({
    job,
    file,
    photo,
    signal,
  }: {
    job: string;
    file: File;
    photo: string;
    signal: AbortSignal;
  }): Promise<void> {
    for (;;) {
      const answer = await this.#api.stillJob(job);
      if (signal.aborted) return;
      if (answer.state === "done") return this.#move({ step: "done", photo, job, result: answer });
      if (answer.state === "failed") {
        return this.#move({ step: "describing", file, photo, problem: answer.message });
      }
      this.#move({ step: "waiting", photo, state: answer.state });
      await sleep(this.#pollMs, signal);
    }
  }

  #move(phase: StillPhase): void {
    const before = this.get().phase;
    const photo = "photo" in phase ? phase.photo : null;
    if ("photo" in before && before.photo !== photo) URL.revokeObjectURL(before.photo);
    this.update({ phase });
  }
}
