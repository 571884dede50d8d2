// One photograph or video on its way to becoming a face.

import type { BuildStep } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import type { Consent, ConsentRequest } from "../../contract/consents.ts";
import { limits } from "../../contract/limits.ts";
import type { Tone } from "../../contract/tones.ts";
import { asVisavisError, type Client } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { type Face, nameFromFile } from "./faces.ts";
import {
  type Refusal,
  refusalFromError,
  refuseFile,
  refuseTake,
  sourceKind,
  type SourceKind,
} from "./refusals.ts";
import { digestOf, plainWish, tooMuch, wantedTones, type Wish } from "./upload-wish.ts";

/** What is shown of the file: an object URL of the photograph or the video. */
interface Shown {
  source: string;
  kind: SourceKind;
  name: string;
}

interface Chosen extends Shown {
  file: File;
  wish: Wish;
}

export type UploadPhase =
  | { step: "closed" }
  | { step: "choosing"; refusal: Refusal | null }
  | ({ step: "naming"; refusal: Refusal | null } & Chosen)
  /** The agreement is being recorded, for which the whole file is read. */
  | ({ step: "agreeing" } & Chosen)
  | ({ step: "sending"; fraction: number } & Chosen)
  | ({ step: "preparing"; id: string; note: string; build: BuildStep | null } & Shown)
  /** The face is there, and the box had something to say about it. */
  | ({ step: "made"; id: string; note: string; clips: readonly Clip[] } & Shown);

export interface UploadState {
  phase: UploadPhase;
}

export interface UploadOptions {
  client: Pick<Client, "uploadAvatar" | "retryClip">;
  /** Records that the person may use the likeness in exactly these bytes. */
  attest(request: ConsentRequest): Promise<Consent>;
  /** The box has taken the file and prepares it. */
  onAccepted(id: string, name: string): void;
  /** The face is ready to go live. */
  onReady(id: string): void;
  /** Something moves again that the listing had settled. */
  onRetried?(): void;
}

export class UploadStore extends Store<UploadState> {
  readonly #options: UploadOptions;
  #abort: AbortController | null = null;
  /** The agreement to a file holds for every try to send it. */
  #consent: { file: File; id: string } | null = null;

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
    this.#consent = null;
    this.#move({ step: "closed" });
  };

  readonly choose = (file: File): void => {
    const { phase } = this.get();
    if (phase.step === "sending" || phase.step === "agreeing") return;
    const kind = sourceKind(file);
    const refusal = refuseFile(file);
    if (refusal || !kind) this.#move({ step: "choosing", refusal });
    else {
      const name = nameFromFile(file.name);
      const source = URL.createObjectURL(file);
      this.#move({ step: "naming", file, source, kind, name, wish: plainWish(name), refusal: null });
    }
  };

  readonly rename = (name: string): void => this.change({ name });

  readonly change = (changes: Partial<Wish>): void => {
    const { phase } = this.get();
    if (phase.step !== "naming") return;
    const wish = { ...phase.wish, ...changes };
    this.#move({ ...phase, name: wish.name, wish });
  };

  readonly setTone = (tone: Tone, wanted: boolean): void => {
    const { phase } = this.get();
    if (phase.step !== "naming") return;
    const others = phase.wish.tones.filter((one) => one !== tone);
    this.change({ tones: wanted ? [...others, tone] : others });
  };

  readonly addTakes = (tone: Tone, files: readonly File[]): void => {
    const { phase } = this.get();
    if (phase.step !== "naming") return;
    const refusal = files.map(refuseTake).find((found) => found !== null) ?? null;
    const before = phase.wish.takes.filter((take) => take.tone === tone).length;
    const room = limits.takesPerTone - before;
    const takes = refusal ? [] : files.slice(0, room).map((file) => ({ tone, file }));
    const full =
      files.length > room
        ? { title: "That is enough", detail: `A tone has up to ${limits.takesPerTone} takes.` }
        : null;
    this.#move({
      ...phase,
      wish: { ...phase.wish, takes: [...phase.wish.takes, ...takes] },
      refusal: refusal ?? full,
    });
  };

  readonly dropTake = (file: File): void => {
    const { phase } = this.get();
    if (phase.step === "naming")
      this.change({ takes: phase.wish.takes.filter((take) => take.file !== file) });
  };

  readonly send = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "naming" || !phase.wish.attested) return;
    const { file, source, kind, wish } = phase;
    const name = wish.name.trim() || nameFromFile(file.name);
    const chosen: Chosen = { file, source, kind, name, wish };
    const weight = tooMuch(file, kind === "video" ? wish.takes : []);
    if (weight) {
      this.#move({
        step: "naming",
        ...chosen,
        refusal: { title: "That is too much at once", detail: weight },
      });
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.#move({ step: "agreeing", ...chosen });
    try {
      const consentToken = await this.#agree(file, kind);
      if (abort.signal.aborted) return;
      this.#move({ step: "sending", ...chosen, fraction: 0 });
      const created = await this.#options.client.uploadAvatar(file, {
        name,
        framing: wish.framing,
        gestureAmplitude: wish.gestureAmplitude,
        tones: wantedTones(kind, wish),
        aiGenerated: kind === "video" && wish.aiGenerated,
        takes: kind === "video" ? wish.takes : [],
        consentToken,
        signal: abort.signal,
        onProgress: (fraction) => {
          if (!abort.signal.aborted) this.#move({ step: "sending", ...chosen, fraction });
        },
      });
      if (abort.signal.aborted) return;
      this.#move({
        step: "preparing",
        source,
        kind,
        name,
        id: created.avatar,
        note: created.note,
        build: null,
      });
      this.#options.onAccepted(created.avatar, created.display_name);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.#move({ step: "naming", ...chosen, refusal: refusalFromError(asVisavisError(thrown)) });
    }
  };

  /** Called with every new listing: the one place that ends the preparing step. */
  readonly follow = (faces: readonly Face[]): void => {
    const { phase } = this.get();
    if (phase.step !== "preparing" && phase.step !== "made") return;
    const face = faces.find((candidate) => candidate.id === phase.id);
    if (phase.step === "made") {
      if (face) this.#move({ ...phase, clips: face.clips });
      return;
    }
    if (face?.state === "ready") {
      // The tones go on being made by themselves, and what the picker shows of them is enough.
      if (phase.note === "") this.#move({ step: "closed" });
      else {
        const { build: _, ...shown } = phase;
        this.#move({ ...shown, step: "made", clips: face.clips });
      }
      this.#options.onReady(phase.id);
    } else if (face?.state === "preparing") {
      if (face.step !== phase.build) this.#move({ ...phase, build: face.step });
    } else if (face?.state === "failed") {
      const detail =
        face.detail ||
        `The ${phase.kind === "photo" ? "photograph" : "video"} could not be turned into a face.`;
      const title = `This ${phase.kind === "photo" ? "photograph" : "video"} cannot be used`;
      this.#move({ step: "choosing", refusal: { title, detail } });
    }
  };

  /** Has a tone made again that failed. */
  readonly retryTone = async (tone: Tone): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "made") return;
    try {
      await this.#options.client.retryClip(phase.id, tone);
      this.#setClip(tone, { state: "generating", detail: "" });
      this.#options.onRetried?.();
    } catch (thrown) {
      this.#setClip(tone, { state: "failed", detail: refusalFromError(asVisavisError(thrown)).detail });
    }
  };

  #setClip(tone: Tone, changes: Partial<Clip>): void {
    const { phase } = this.get();
    if (phase.step !== "made") return;
    const clips = phase.clips.map((clip) => (clip.tone === tone ? { ...clip, ...changes } : clip));
    this.#move({ ...phase, clips });
  }

  async #agree(file: File, kind: SourceKind): Promise<string> {
    if (this.#consent?.file === file) return this.#consent.id;
    const sha256 = await digestOf(file);
    const { consent_id: id } = await this.#options.attest({ sha256, source_kind: kind, attested: true });
    this.#consent = { file, id };
    return id;
  }

  #move(phase: UploadPhase): void {
    const before = this.get().phase;
    const source = "source" in phase ? phase.source : null;
    if ("source" in before && before.source !== source) URL.revokeObjectURL(before.source);
    this.update({ phase });
  }
}
