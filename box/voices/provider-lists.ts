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
  /** The last that was one: choosing goes on with it while a newer one is not to be had. */
  usable: VoiceListing;
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

  /** What there is to choose from, however old; null when there never was a list. One past its time is fetched anew. */
  known(engine: HostedEngine, key: string): VoiceListing | null {
    const entry = this.#entries.get(nameOf(engine, key));
    if (entry && !isFresh(entry)) void this.get(engine, key);
    return entry?.usable ?? null;
  }

  /** Never rejects: what went wrong is in the listing's state. */
  async get(
    engine: HostedEngine,
    key: string,
    { refresh = false }: { refresh?: boolean } = {},
  ): Promise<VoiceListing> {
    const name = nameOf(engine, key);
    const entry = this.#entries.get(name);
    if (!refresh && entry && isFresh(entry)) return entry.listing;
    const fetching =
      this.#fetching.get(name) ?? this.#renew(name, engine, key).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetching);
    return fetching;
  }

  close(): void {
    this.#closing.abort();
  }

  async #renew(name: string, engine: HostedEngine, key: string): Promise<VoiceListing> {
    const listing = await this.#fetch(engine, key);
    const failed = listing.state !== "ready" && listing.state !== "empty";
    const seconds = failed ? limits.voiceCatalogueFailedSeconds : limits.voiceCatalogueSeconds;
    const usable = failed ? (this.#entries.get(name)?.usable ?? listing) : listing;
    this.#entries.delete(name);
    this.#entries.set(name, { listing, untilMs: performance.now() + seconds * 1000, usable });
    if (this.#entries.size > capacity) this.#entries.delete(this.#entries.keys().next().value ?? "");
    return listing;
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

const isFresh = ({ untilMs }: Entry) => untilMs > performance.now();

/** Holds no key. */
function nameOf(engine: HostedEngine, key: string): string {
  return `${engine.id}/${createHash("sha256").update(key).digest("hex")}`;
}
