// A face of nobody: described, generated, looked at, generated again, and approved.

import { limits } from "../../contract/limits.ts";
import type { Portrait } from "../../contract/portraits.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { PortraitsApi } from "./portraits-api.ts";

export interface PortraitsState {
  persona: string;
  /** What is under way; one thing at a time. */
  busy: "generating" | "regenerating" | "approving" | null;
  /** Every attempt of this visit, oldest first: a new one never replaces an old one. */
  attempts: readonly Portrait[];
  /** Id of the attempt being looked at. */
  shown: string | null;
  problem: string | null;
}

type Api = Pick<PortraitsApi, "generate" | "read" | "regenerate" | "approve">;

export function shownPortrait({ attempts, shown }: PortraitsState): Portrait | null {
  return attempts.find((attempt) => attempt.portrait_id === shown) ?? null;
}

export class PortraitsStore extends Store<PortraitsState> {
  readonly #api: Api;
  readonly #renewing = new Set<string>();

  constructor(api: Api) {
    super({ persona: "", busy: null, attempts: [], shown: null, problem: null });
    this.#api = api;
  }

  readonly describe = (persona: string): void => this.update({ persona });

  readonly show = (id: string): void => this.update({ shown: id, problem: null });

  readonly generate = async (): Promise<void> => {
    const persona = this.get().persona.trim();
    if (this.get().busy) return;
    if (persona === "") return this.update({ problem: "Describe the person first." });
    if (persona.length > limits.personaChars) {
      const max = limits.personaChars.toLocaleString("en");
      return this.update({ problem: `A description may have at most ${max} characters.` });
    }
    await this.#during("generating", async () => this.#add(await this.#api.generate(persona)));
  };

  /** Another attempt at the portrait being looked at, under an id of its own. */
  readonly regenerate = async (): Promise<void> => {
    const portrait = shownPortrait(this.get());
    if (!portrait || this.get().busy) return;
    await this.#during("regenerating", async () =>
      this.#add(await this.#api.regenerate(portrait.portrait_id)),
    );
  };

  /** Approves exactly the bytes being looked at. */
  readonly approve = async (): Promise<void> => {
    const portrait = shownPortrait(this.get());
    if (!portrait || portrait.approved_at !== null || this.get().busy) return;
    await this.#during("approving", async () => {
      try {
        this.#replace(await this.#api.approve(portrait.portrait_id, portrait.sha256));
      } catch (thrown) {
        // Look again at what is there now; approving is for the person to repeat.
        if (asVisavisError(thrown).code === "portrait_changed") {
          this.#replace(await this.#api.read(portrait.portrait_id));
        }
        throw thrown;
      }
    });
  };

  /** The picture could not be loaded: its signed URL has lapsed. */
  readonly renew = async (id: string): Promise<void> => {
    if (this.#renewing.has(id)) return;
    this.#renewing.add(id);
    try {
      this.#replace(await this.#api.read(id));
      this.#renewing.delete(id);
    } catch (thrown) {
      // Not asked again by itself: a picture that is gone would be asked for without end.
      if (this.get().shown === id) this.update({ problem: asVisavisError(thrown).message });
    }
  };

  async #during(busy: PortraitsState["busy"], act: () => Promise<void>): Promise<void> {
    this.update({ busy, problem: null });
    try {
      await act();
    } catch (thrown) {
      this.update({ problem: asVisavisError(thrown).message });
    } finally {
      this.update({ busy: null });
    }
  }

  #add(portrait: Portrait): void {
    this.update({ attempts: [...this.get().attempts, portrait], shown: portrait.portrait_id });
  }

  #replace(portrait: Portrait): void {
    this.update({
      attempts: this.get().attempts.map((attempt) =>
        attempt.portrait_id === portrait.portrait_id ? portrait : attempt,
      ),
    });
  }
}
