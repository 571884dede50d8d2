// Erasing an avatar: typed confirmation, then the receipt, repeated for as long as something is pending.

import type { ErasureArtefact, ErasureReceipt, LibraryAvatar } from "../../contract/library.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { AvatarsApi } from "./avatars-api.ts";

export const artefactWords: Record<ErasureArtefact, string> = {
  registry_record: "The entry in your library, for every tone",
  public_listing: "The listing in the public gallery",
  archived_media: "Stored pictures, clips and recordings, and the record of consent",
  prepared_avatar: "The prepared face on the boxes",
};

export type ErasurePhase =
  | { step: "closed" }
  | { step: "asking" | "erasing"; avatar: LibraryAvatar; typed: string; problem: string | null }
  | {
      step: "receipt" | "repeating";
      avatar: LibraryAvatar;
      receipt: ErasureReceipt;
      problem: string | null;
    };

export interface ErasureOptions {
  api: Pick<AvatarsApi, "erase">;
  onErased(id: string): void;
}

/** Whether what was typed is the avatar's name: spaces around it and letter case do not matter. */
export function namesAvatar(typed: string, avatar: Pick<LibraryAvatar, "display_name">): boolean {
  const plain = (text: string) => text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
  return plain(typed) === plain(avatar.display_name);
}

export class ErasureStore extends Store<{ phase: ErasurePhase }> {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    super({ phase: { step: "closed" } });
    this.#options = options;
  }

  readonly ask = (avatar: LibraryAvatar): void => {
    this.update({ phase: { step: "asking", avatar, typed: "", problem: null } });
  };

  readonly type = (typed: string): void => {
    const { phase } = this.get();
    if (phase.step === "asking") this.update({ phase: { ...phase, typed } });
  };

  readonly close = (): void => this.update({ phase: { step: "closed" } });

  readonly erase = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "asking" || !namesAvatar(phase.typed, phase.avatar)) return;
    const { avatar } = phase;
    this.update({ phase: { ...phase, step: "erasing", problem: null } });
    try {
      const receipt = await this.#options.api.erase(avatar.avatar_id);
      this.#options.onErased(avatar.avatar_id);
      this.#move(avatar, { step: "receipt", avatar, receipt, problem: null });
    } catch (thrown) {
      this.#move(avatar, { ...phase, step: "asking", problem: asVisavisError(thrown).message });
    }
  };

  /** Asks again for what is pending; the portal repairs whatever was not cleared. */
  readonly repeat = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "receipt" || phase.receipt.status === "complete") return;
    const { avatar } = phase;
    this.update({ phase: { ...phase, step: "repeating", problem: null } });
    try {
      const receipt = await this.#options.api.erase(avatar.avatar_id);
      this.#move(avatar, { step: "receipt", avatar, receipt, problem: null });
    } catch (thrown) {
      this.#move(avatar, { ...phase, step: "receipt", problem: asVisavisError(thrown).message });
    }
  };

  /** A dialog that was closed meanwhile stays closed. */
  #move(avatar: LibraryAvatar, phase: ErasurePhase): void {
    const before = this.get().phase;
    if (before.step !== "closed" && before.avatar.avatar_id === avatar.avatar_id) this.update({ phase });
  }
}
