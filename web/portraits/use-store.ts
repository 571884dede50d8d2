// Making a face of a picture that this page showed: attest, download, check the digest, hand it to a box.

import { asVisavisError, type Client } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { PortraitsApi } from "./portraits-api.ts";

export interface Picture {
  url: string;
  /** Digest that was approved; null where nothing was approved and the bytes' own digest is attested. */
  sha256: string | null;
  suggestedName: string;
}

export type UsePhase =
  | { step: "closed" }
  | { step: "asking"; picture: Picture; name: string; attested: boolean; problem: string | null }
  | { step: "sending"; picture: Picture; name: string; fraction: number }
  | { step: "accepted"; picture: Picture; name: string; id: string };

export interface UseOptions {
  api: Pick<PortraitsApi, "attest" | "download">;
  client: Pick<Client, "uploadAvatar">;
  /** The box has taken the picture and prepares it. */
  onAccepted(id: string, name: string): void;
}

const nameChars = 80;

async function digestOf(blob: Blob): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class UseStore extends Store<{ phase: UsePhase }> {
  readonly #options: UseOptions;
  #abort: AbortController | null = null;

  constructor(options: UseOptions) {
    super({ phase: { step: "closed" } });
    this.#options = options;
  }

  readonly open = (picture: Picture): void => {
    const name = picture.suggestedName.slice(0, nameChars);
    this.update({ phase: { step: "asking", picture, name, attested: false, problem: null } });
  };

  /** Cancels what is being sent; what the box has accepted goes on by itself. */
  readonly close = (): void => {
    this.#abort?.abort();
    this.#abort = null;
    this.update({ phase: { step: "closed" } });
  };

  readonly rename = (name: string): void => {
    const { phase } = this.get();
    if (phase.step === "asking") this.update({ phase: { ...phase, name } });
  };

  readonly setAttested = (attested: boolean): void => {
    const { phase } = this.get();
    if (phase.step === "asking") this.update({ phase: { ...phase, attested } });
  };

  readonly send = async (): Promise<void> => {
    const { phase } = this.get();
    if (phase.step !== "asking" || !phase.attested) return;
    const { picture } = phase;
    const { api, client, onAccepted } = this.#options;
    const name = phase.name.trim() || "New face";
    const abort = new AbortController();
    this.#abort = abort;
    this.update({ phase: { step: "sending", picture, name, fraction: 0 } });
    try {
      const blob = await api.download(picture.url);
      const sha256 = await digestOf(blob);
      if (picture.sha256 !== null && sha256 !== picture.sha256) {
        throw new PictureChangedError();
      }
      const consent = await api.attest({ sha256, source_kind: "image", attested: true });
      if (abort.signal.aborted) return;
      const created = await client.uploadAvatar(new File([blob], "portrait.png", { type: "image/png" }), {
        name,
        consentToken: consent.consent_id,
        signal: abort.signal,
        onProgress: (fraction) => {
          if (!abort.signal.aborted) this.update({ phase: { step: "sending", picture, name, fraction } });
        },
      });
      if (abort.signal.aborted) return;
      this.update({ phase: { step: "accepted", picture, name: created.display_name, id: created.avatar } });
      onAccepted(created.avatar, created.display_name);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      const problem = thrown instanceof PictureChangedError ? thrown.message : asVisavisError(thrown).message;
      this.update({ phase: { step: "asking", picture, name, attested: true, problem } });
    }
  };
}

class PictureChangedError extends Error {
  override readonly name = "PictureChangedError";

  constructor() {
    super(
      "The picture that arrived is not the one that was approved. Look at it again, and approve it again.",
    );
  }
}
