// One session in full: what was said, the recording while its link lives, and erasing it all.

import type { SessionDetail, SessionRow } from "../../contract/sessions.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { SessionErasure, SessionsApi } from "./sessions-api.ts";

export type ErasingPhase =
  | { step: "closed" }
  | { step: "asking" | "erasing"; problem: string | null }
  | { step: "erased"; answer: SessionErasure };

export interface SessionDetailState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  transcript: SessionDetail["transcript"];
  recording: string | null;
  consent: string | null;
  /** Why the recording cannot be played. */
  playbackProblem: string | null;
  erasing: ErasingPhase;
}

export interface DetailOptions {
  api: Pick<SessionsApi, "detail" | "erase">;
  id: string;
  onRow(row: SessionRow): void;
  onErased(id: string): void;
}

export class SessionDetailStore extends Store<SessionDetailState> {
  readonly #options: DetailOptions;
  /** Set by a failed playback, cleared by a picture: a link that fails at once after its renewal is not renewed again. */
  #renewed = false;

  constructor(options: DetailOptions) {
    super({
      status: "loading",
      error: null,
      transcript: [],
      recording: null,
      consent: null,
      playbackProblem: null,
      erasing: { step: "closed" },
    });
    this.#options = options;
  }

  readonly load = async (): Promise<void> => {
    try {
      await this.#read();
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (this.get().status !== "ready") this.update({ status: "error", error });
    }
  };

  /** Links live for minutes: a playback that failed gets a fresh one, once. */
  readonly playbackFailed = async (): Promise<void> => {
    if (this.#renewed) {
      return this.update({ playbackProblem: "The recording cannot be played right now." });
    }
    this.#renewed = true;
    try {
      await this.#read();
      if (this.get().recording === null)
        this.update({ playbackProblem: "The recording is no longer there." });
    } catch (thrown) {
      this.update({ playbackProblem: asVisavisError(thrown).message });
    }
  };

  readonly playbackWorks = (): void => {
    this.#renewed = false;
    this.update({ playbackProblem: null });
  };

  /** The person asks for another attempt. */
  readonly retryPlayback = async (): Promise<void> => {
    this.#renewed = false;
    this.update({ playbackProblem: null });
    await this.playbackFailed();
  };

  readonly askErase = (): void => this.update({ erasing: { step: "asking", problem: null } });
  readonly closeErase = (): void => this.update({ erasing: { step: "closed" } });

  /** Repeating it is safe: what is gone stays gone, and what was pending is tried again. */
  readonly erase = async (): Promise<void> => {
    const { api, id, onErased } = this.#options;
    if (this.get().erasing.step === "erasing") return;
    this.update({ erasing: { step: "erasing", problem: null } });
    try {
      const answer = await api.erase(id);
      this.update({ erasing: { step: "erased", answer } });
      onErased(id);
    } catch (thrown) {
      this.update({ erasing: { step: "asking", problem: asVisavisError(thrown).message } });
    }
  };

  async #read(): Promise<void> {
    const { api, id, onRow } = this.#options;
    const { session, transcript, recording, consent } = await api.detail(id);
    this.update({ status: "ready", error: null, transcript, recording, consent });
    onRow(session);
  }
}
