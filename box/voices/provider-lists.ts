// What providers listed lately, by provider and key: asked for once at a time, and forgotten in time.

import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import { describeError, type Log } from "../ops/log.ts";
import { VoiceFailure, type VoiceFault } from "./failure.ts";
import type { HostedEngine } from "./hosted/hosted.ts";
import type { VoiceListing } from "./voice.ts";

/** One provider's whole list, which may come in several pages. */
const listWithinMs = 8_000;
const capacity = 200;

const failures: Record<VoiceFault, [state: VoiceListing["state"], reason: (label: string) => string]> = {
  key: ["key_problem", (label) => `${label} does not accept the key. Save another one.`],
  credit: ["refused", (label) => `${label} does not let this key list its voices.`],
  busy: ["refused", (label) => `${label} takes no more requests for now.`],
  request: ["refused", (label) => `${label} refused to list its voices.`],
  voice: ["unreachable", (label) => `${label} answered with something that is no list of voices.`],
  timeout: ["timed_out", (label) => `${label} took too long to list its voices.`],
  unreachable: ["unreachable", (label) => `${label} cannot be reached, or does not answer as it should.`],
};

interface Entry {
  listing: VoiceListing;
  untilMs: number;
}

export interface ProviderListsOptions {
  log: Log;
  timeoutMs?: number | undefined;
}

export class ProviderLists {
  readonly #options: ProviderListsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #fetching = new Map<string, Promise<VoiceListing>>();
  readonly #closing = new AbortController();

  constructor(options: ProviderListsOptions) {
    this.#options = options;
  }

  /** The list that is still good; null when there is none. */
  known(engine: HostedEngine, key: string): VoiceListing | null {
    const entry = this.#entries.get(nameOf(engine, key));
    return entry && entry.untilMs > performance.now() ? entry.listing : null;
  }

  /** Never rejects: what went wrong is in the listing's state. */
  async get(
    engine: HostedEngine,
    key: string,
    { refresh = false }: { refresh?: boolean } = {},
  ): Promise<VoiceListing> {
    const known = refresh ? null : this.known(engine, key);
    if (known) return known;
    const name = nameOf(engine, key);
    const fetching =
      this.#fetching.get(name) ?? this.#fetch(engine, key).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetching);
    const listing = await fetching;
    const failed = listing.state !== "ready" && listing.state !== "empty";
    const seconds = failed ? limits.voiceCatalogueFailedSeconds : limits.voiceCatalogueSeconds;
    this.#entries.delete(name);
    this.#entries.set(name, { listing, untilMs: performance.now() + seconds * 1000 });
    if (this.#entries.size > capacity) this.#entries.delete(this.#entries.keys().next().value ?? "");
    return listing;
  }

  close(): void {
    this.#closing.abort();
  }

  async #fetch(engine: HostedEngine, key: string): Promise<VoiceListing> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#options.timeoutMs ?? listWithinMs);
    try {
      const signal = AbortSignal.any([late.signal, this.#closing.signal]);
      const voices = await engine.listVoices(key, signal);
      if (voices.length > 0) return { state: "ready", reason: "", voices };
      return { state: "empty", reason: `The ${engine.label} account has no voices.`, voices };
    } catch (error) {
      const fault = late.signal.aborted
        ? "timeout"
        : error instanceof VoiceFailure
          ? error.fault
          : "unreachable";
      this.#options.log.warn(
        { provider: engine.id, fault, ...describeError(error) },
        "a provider did not list its voices",
      );
      const [state, reason] = failures[fault];
      return { state, reason: reason(engine.label), voices: [] };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Holds no key. */
function nameOf(engine: HostedEngine, key: string): string {
  return `${engine.id}/${createHash("sha256").update(key).digest("hex")}`;
}
