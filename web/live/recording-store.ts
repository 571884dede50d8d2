// Whether the next session is to be recorded, under terms that the person has seen.

import type { z } from "zod";
import { recordingTermsSchema } from "../../contract/consents.ts";
import { requestPortal } from "../portal/request.ts";
import { asVisavisError, type ConnectFields, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

export type RecordingTerms = z.infer<typeof recordingTermsSchema>;

export interface RecordingState {
  wanted: boolean;
  /** What is agreed to by going live; null until the portal has said. */
  terms: RecordingTerms | null;
  fetching: boolean;
  /** Why there is no recording, or why it has to be agreed to again. */
  problem: string | null;
}

export const fetchRecordingTerms = (): Promise<RecordingTerms> =>
  requestPortal("/auth/recordings/terms", recordingTermsSchema);

export class RecordingStore extends Store<RecordingState> {
  readonly #fetchTerms: () => Promise<RecordingTerms>;
  #turn = 0;

  constructor(fetchTerms: () => Promise<RecordingTerms> = fetchRecordingTerms) {
    super({ wanted: false, terms: null, fetching: false, problem: null });
    this.#fetchTerms = fetchTerms;
  }

  /** Shows the terms as they are now; without them nothing can be agreed to. */
  readonly setWanted = async (wanted: boolean): Promise<void> => {
    this.#turn += 1;
    const turn = this.#turn;
    this.update({ wanted, problem: null, fetching: wanted });
    if (!wanted) return;
    try {
      const terms = await this.#fetchTerms();
      if (turn === this.#turn) this.update({ terms, fetching: false });
    } catch (thrown) {
      if (turn !== this.#turn) return;
      const problem = `The terms cannot be fetched, so nothing is recorded. ${asVisavisError(thrown).message}`;
      this.update({ wanted: false, fetching: false, problem });
    }
  };

  /** What a session says of it; null while it may not go live, since the terms are still on their way. */
  readonly agreement = (): Pick<ConnectFields, "recording"> | null => {
    const { wanted, terms, fetching } = this.get();
    if (fetching) return null;
    return wanted && terms ? { recording: { terms_version: terms.version, terms_digest: terms.digest } } : {};
  };

  /** A session with an agreement was refused. Returns whether it was because of the agreement. */
  readonly refused = async (error: VisavisError): Promise<boolean> => {
    if (!this.get().wanted) return false;
    // The route answers with a sentence and no code; a conflict may have other reasons, which the terms then tell apart.
    if (error.status !== 409) return false;
    const before = this.get().terms?.version;
    await this.setWanted(true);
    const { terms } = this.get();
    if (!terms || terms.version === before) return false;
    this.update({
      problem: "The terms of recording have changed. Read them, and go live again if you agree.",
    });
    return true;
  };
}
