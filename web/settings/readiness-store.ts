// Whether models are switched on for the account: asked for, warmed up, and watched while that moves.

import { type ModelStatus, modelStatusSchema, type ModelRow } from "../../contract/models.ts";
import { requestPortal } from "../portal/request.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

export const readinessPortal = {
  warm(id: string): Promise<ModelStatus> {
    // A warm-up is one real call to the model's provider.
    const request = { method: "POST", timeoutMs: 60_000 } as const;
    return requestPortal(`/auth/models/${encodeURIComponent(id)}/warm`, modelStatusSchema, request);
  },
  status(id: string): Promise<ModelStatus> {
    return requestPortal(`/auth/models/${encodeURIComponent(id)}/status`, modelStatusSchema);
  },
};

export interface Readiness {
  state: ModelStatus["state"];
  reason: string;
  /** A warm-up was asked for and has not come to an end. */
  warming: boolean;
}

export interface ReadinessState {
  models: Readonly<Record<string, Readiness>>;
}

export class ReadinessStore extends Store<ReadinessState> {
  readonly #portal: typeof readinessPortal;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #disposed = false;

  constructor(wired: typeof readinessPortal = readinessPortal) {
    super({ models: {} });
    this.#portal = wired;
  }

  /** Takes over what the catalogue's rows say, except of models that are being warmed. */
  readonly learn = (rows: readonly ModelRow[]): void => {
    const models = { ...this.get().models };
    for (const row of rows) {
      if (models[row.id]?.warming) continue;
      models[row.id] = {
        state: row.status?.state ?? "unknown",
        reason: row.status?.reason ?? "",
        warming: false,
      };
    }
    this.update({ models });
  };

  /** Switches a model on. What went wrong becomes its reason. */
  readonly warm = async (id: string): Promise<void> => {
    if (this.get().models[id]?.warming) return;
    this.#set(id, { state: "enabling", reason: "", warming: true });
    await this.#ask(id, () => this.#portal.warm(id));
  };

  /** Ends all waiting; to be followed by nothing. */
  readonly dispose = (): void => {
    this.#disposed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  };

  /** Undoes `dispose` for a page that is shown again. */
  readonly revive = (): void => {
    this.#disposed = false;
  };

  async #ask(id: string, question: () => Promise<ModelStatus>): Promise<void> {
    try {
      const { state, reason, poll_after_seconds: pollAfterSeconds } = await question();
      if (this.#disposed) return;
      const moving = pollAfterSeconds !== undefined;
      this.#set(id, { state, reason, warming: moving });
      if (!moving) return;
      const timer = setTimeout(() => {
        this.#timers.delete(id);
        void this.#ask(id, () => this.#portal.status(id));
      }, pollAfterSeconds * 1000);
      this.#timers.set(id, timer);
    } catch (thrown) {
      if (!this.#disposed)
        this.#set(id, { state: "unknown", reason: asVisavisError(thrown).message, warming: false });
    }
  }

  #set(id: string, readiness: Readiness): void {
    this.update({ models: { ...this.get().models, [id]: readiness } });
  }
}
