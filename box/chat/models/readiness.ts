// Whether the models of this box answer, found out by asking.

import { limits } from "../../../contract/limits.ts";
import type { ModelReadiness, ModelRow, ModelStatus } from "../../../contract/models.ts";
import { Refusal } from "../../failure.ts";
import { ModelError, type ModelProvider } from "./model.ts";

/** A model that is switched on for the first time may take this long to say its first token. */
const callTimeoutMs = 20_000;
/** One that is on already answers within this, and then the caller need not come back. */
const waitMs = 1_000;
/** Seconds after which to look again. */
const pollSeconds = 2;

const notProbed: ModelReadiness = { state: "unknown", reason: "Not probed yet." };
const unreachable = "The model could not be reached.";

interface Probe extends ModelReadiness {
  askedAtMs: number;
}

export interface ModelReadinessesOptions {
  catalogue: readonly ModelRow[];
  /** Null: this box has nobody to ask. */
  providerOf(row: ModelRow): ModelProvider | null;
  nowMs?(): number;
  waitMs?: number;
}

/** What is found out holds for this box alone, and for as long as it runs. */
export class ModelReadinesses {
  readonly #options: ModelReadinessesOptions;
  readonly #nowMs: () => number;
  readonly #probes = new Map<string, Probe>();
  readonly #closing = new AbortController();

  constructor(options: ModelReadinessesOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** How the model last answered; calls nobody. Throws Refusal. */
  status(model: string): ModelStatus {
    const row = this.#rowOf(model);
    return statusOf(model, this.#asks(row) ? this.#read(model) : known(row));
  }

  /**
   * Switches the model on: one call of one token, at most every 30 s whoever asks, and none where residency forbids it.
   * Resolves to the result when it is there within a second, else to its being on its way. Rejects with Refusal.
   */
  async warm(model: string): Promise<ModelStatus> {
    const row = this.#rowOf(model);
    const ask = this.#asks(row);
    if (!ask || !this.#claim(model)) return this.status(model);
    const asked = this.#ask(model, ask);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, this.#options.waitMs ?? waitMs);
    await Promise.race([asked, late.promise]);
    clearTimeout(timer);
    return this.status(model);
  }

  /** Hangs up on whoever is being asked. */
  close(): void {
    this.#closing.abort();
  }

  #rowOf(model: string): ModelRow {
    const { catalogue } = this.#options;
    if (catalogue.length === 0)
      throw new Refusal("models_unavailable", "This box has no catalogue of models.");
    const row = catalogue.find(({ id }) => id === model);
    if (!row) throw new Refusal("not_found", `There is no model ${JSON.stringify(model.slice(0, 200))}.`);
    return row;
  }

  /** How to ask a model; null for one that is built in, refused, or served by nobody. */
  #asks(row: ModelRow): ((signal: AbortSignal) => Promise<void>) | null {
    const provider = row.selectable ? this.#options.providerOf(row) : null;
    return provider?.probe ? (signal) => provider.probe?.(row.id, signal) ?? Promise.resolve() : null;
  }

  #read(model: string): ModelReadiness {
    const probe = this.#probes.get(model);
    if (!probe) return notProbed;
    const ageSeconds = (this.#nowMs() - probe.askedAtMs) / 1000;
    if (probe.state === "ready" && ageSeconds >= limits.modelReadySeconds)
      return { state: "unknown", reason: "Last seen working more than a day ago." };
    return probe;
  }

  /** False while the model is known to answer, or was asked a moment ago. */
  #claim(model: string): boolean {
    const probe = this.#probes.get(model);
    const ageSeconds = probe ? (this.#nowMs() - probe.askedAtMs) / 1000 : Infinity;
    const holdsSeconds = probe?.state === "ready" ? limits.modelReadySeconds : limits.modelProbeSeconds;
    if (ageSeconds < holdsSeconds || this.#closing.signal.aborted) return false;
    this.#probes.set(model, { state: "enabling", reason: "", askedAtMs: this.#nowMs() });
    return true;
  }

  /** Never rejects. */
  async #ask(model: string, ask: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const mine = this.#probes.get(model);
    const settle = (readiness: ModelReadiness) => {
      // A call that came to its end after the next one had begun counts no more.
      if (mine && this.#probes.get(model) === mine)
        this.#probes.set(model, { ...readiness, askedAtMs: mine.askedAtMs });
    };
    try {
      await ask(AbortSignal.any([this.#closing.signal, AbortSignal.timeout(callTimeoutMs)]));
      settle({ state: "ready", reason: "" });
    } catch (error) {
      const reason = error instanceof ModelError ? error.message : unreachable;
      settle({ state: "unavailable", reason });
    }
  }
}

function known({ selectable, status }: ModelRow): ModelReadiness {
  if (!selectable)
    return status ?? { state: "unavailable", reason: "This deployment sends no data to where it runs." };
  return { state: status?.state === "ready" ? "ready" : "unavailable", reason: status?.reason ?? "" };
}

function statusOf(model: string, { state, reason }: ModelReadiness): ModelStatus {
  const moving = state === "enabling" ? { poll_after_seconds: pollSeconds } : {};
  return { ok: state !== "unavailable", model, state, reason, ...moving };
}
