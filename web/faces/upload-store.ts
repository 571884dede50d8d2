// One photograph on its way to becoming a face.

import { asVisavisError, type Client, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { Face } from "./faces.ts";
import { nameFromFile } from "./faces.ts";
import { type Refusal, refusalFromError, refuseFile } from "./refusals.ts";

export type UploadPhase =
  | { step: "closed" }
  | { step: "choosing"; refusal: Refusal | null }
  | { step: "naming"; file: File; photo: string; name: string; refusal: Refusal | null }
  | { step: "sending"; file: File; photo: string; name: string; fraction: number }
  | { step: "preparing"; photo: string; name: string; id: string };

export interface UploadState {
  phase: UploadPhase;
}

export interface UploadOptions {
  client: Pick<Client, "uploadAvatar">;
  /** The box has taken the photograph and prepares it. */
  onAccepted(id: string, name: string): void;
  /** The face is ready to go live. */
  onReady(id: string): void;
}

export class UploadStore extends Store<UploadState> {
  readonly #options: UploadOptions;
  #abort: AbortController | null = null;

  constructor(options: UploadOptions) {
    super({ phase: { step: "closed" } });
    this.#options = options;
  }

  readonly open = (): void => {
    if (this.get().phase.step === "closed") this.#move({ step: "choosing", refusal: null });
  };

  /** Cancels what is being sent; a face that is being prepared goes on without the dialog. */
  readonly close = (): void => {
    this.#abort?.abort();
    this.#abort = null;
    this.#move({ step: "closed" });
  };

  readonly choose = (file: File): void => {
    if (this.get().phase.step === "sending") return;
    const refusal = refuseFile(file);
    if (refusal) this.#move({ step: "choosing", refusal });
    else {
      this.#move({
        step: "naming",
        file,
        photo: URL.createObjectURL(file),
        name: nameFromFile(file.name),
        refusal: null,
      });
    }
  };

  readonly rename = (name: string): void => {
    const { phase } = this.get();
    if (phase.step === "naming") this.#move({ ...phase, name });
  };

  readonly send = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "naming") return;
    const { file, photo } = phase;
    const name = phase.name.trim() || nameFromFile(file.name);
    const abort = new AbortController();
    this.#abort = abort;
    this.#move({ step: "sending", file, photo, name, fraction: 0 });
    try {
      const created = await this.#options.client.uploadAvatar(file, {
        name,
        signal: abort.signal,
        onProgress: (fraction) => {
          if (!abort.signal.aborted) this.#move({ step: "sending", file, photo, name, fraction });
        },
      });
      if (abort.signal.aborted) return;
      this.#move({ step: "preparing", photo, name, id: created.avatar });
      this.#options.onAccepted(created.avatar, created.display_name);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      const error: VisavisError = asVisavisError(thrown);
      this.#move({ step: "naming", file, photo, name, refusal: refusalFromError(error) });
    }
  };

  /** Called with every new listing: the one place that ends the preparing step. */
  readonly follow = (faces: readonly Face[]): void => {
    const { phase } = this.get();
    if (phase.step !== "preparing") return;
    const face = faces.find((candidate) => candidate.id === phase.id);
    if (face?.state === "ready") {
      this.#move({ step: "closed" });
      this.#options.onReady(phase.id);
    } else if (face?.state === "failed") {
      const detail = face.detail || "The photograph could not be turned into a face.";
      this.#move({ step: "choosing", refusal: { title: "This photograph cannot be used", detail } });
    }
  };

  #move(phase: UploadPhase): void {
    const before = this.get().phase;
    const photo = "photo" in phase ? phase.photo : null;
    if ("photo" in before && before.photo !== photo) URL.revokeObjectURL(before.photo);
    this.update({ phase });
  }
}
