// Showing an avatar to everybody: read the terms, agree to exactly that wording, publish. Taking it back is one step.

import type { LibraryAvatar } from "../../contract/library.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { AvatarsApi, PublicationTerms } from "./avatars-api.ts";

export type PublishingPhase =
  | { step: "closed" }
  | { step: "fetching"; avatar: LibraryAvatar }
  | { step: "unreadable"; avatar: LibraryAvatar; problem: string }
  | {
      step: "reading" | "publishing";
      avatar: LibraryAvatar;
      terms: PublicationTerms;
      agreed: boolean;
      /** The wording changed while it was being read. */
      renewed: boolean;
      problem: string | null;
    };

export interface PublishingState {
  phase: PublishingPhase;
  /** An avatar whose withdrawal is under way. */
  withdrawing: string | null;
  /** What became of the last withdrawal, when there is something to say. */
  notice: { id: string; kind: "error" | "notice"; message: string } | null;
}

export interface PublishingOptions {
  api: Pick<AvatarsApi, "terms" | "agree" | "setVisibility" | "withdrawAgreement">;
  /** A record changed, or is expected to. */
  onRecord(avatar: LibraryAvatar): void;
}

export class PublishingStore extends Store<PublishingState> {
  readonly #options: PublishingOptions;
  /** An agreement that is recorded but not used yet: a second attempt needs no second record. */
  #agreement: { id: string; version: string } | null = null;

  constructor(options: PublishingOptions) {
    super({ phase: { step: "closed" }, withdrawing: null, notice: null });
    this.#options = options;
  }

  readonly open = async (avatar: LibraryAvatar): Promise<void> => {
    this.update({ phase: { step: "fetching", avatar }, notice: null });
    await this.#fetchTerms(avatar, false);
  };

  readonly close = (): void => this.update({ phase: { step: "closed" } });

  readonly dismissNotice = (): void => this.update({ notice: null });

  readonly setAgreed = (agreed: boolean): void => {
    const { phase } = this.get();
    if (phase.step === "reading") this.update({ phase: { ...phase, agreed } });
  };

  readonly publish = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "reading" || !phase.agreed) return;
    const { api, onRecord } = this.#options;
    const { avatar, terms } = phase;
    const id = avatar.avatar_id;
    this.update({ phase: { ...phase, step: "publishing", problem: null } });
    try {
      if (this.#agreement?.id !== id || this.#agreement.version !== terms.version) {
        await api.agree(id, terms.version);
        this.#agreement = { id, version: terms.version };
      }
      const published = await api.setVisibility(id, "public");
      this.#agreement = null;
      onRecord(published);
      if (this.#showing(id)) this.close();
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (error.code === "publication_consent_required") this.#agreement = null;
      if (!this.#showing(id)) return;
      if (error.code === "terms_outdated") await this.#fetchTerms(avatar, true);
      else this.update({ phase: { ...phase, step: "reading", problem: error.message } });
    }
  };

  /**
   * Takes the agreement back, which makes the avatar private. Where that record cannot be reached, the avatar turns
   * private all the same.
   */
  readonly withdraw = async (avatar: LibraryAvatar): Promise<void> => {
    const { api, onRecord } = this.#options;
    const id = avatar.avatar_id;
    this.#agreement = null;
    this.update({ withdrawing: id, notice: null });
    onRecord({ ...avatar, visibility: "private" });
    try {
      try {
        await api.withdrawAgreement(id);
      } catch (thrown) {
        onRecord(await api.setVisibility(id, "private"));
        if (asVisavisError(thrown).code !== "publication_consent_not_found") {
          this.update({
            notice: {
              id,
              kind: "notice",
              message:
                "The avatar is private. The record of your agreement could not be marked as withdrawn; " +
                "publishing again asks you to agree anew.",
            },
          });
        }
      }
    } catch (thrown) {
      onRecord(avatar);
      this.update({ notice: { id, kind: "error", message: asVisavisError(thrown).message } });
    } finally {
      this.update({ withdrawing: null });
    }
  };

  #showing(id: string): boolean {
    const { phase } = this.get();
    return phase.step !== "closed" && phase.avatar.avatar_id === id;
  }

  async #fetchTerms(avatar: LibraryAvatar, renewed: boolean): Promise<void> {
    let phase: PublishingPhase;
    try {
      const terms = await this.#options.api.terms();
      phase = { step: "reading", avatar, terms, agreed: false, renewed, problem: null };
    } catch (thrown) {
      phase = { step: "unreadable", avatar, problem: asVisavisError(thrown).message };
    }
    if (this.#showing(avatar.avatar_id)) this.update({ phase });
  }
}
