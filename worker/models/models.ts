// The catalogue of this deployment, and switching its models on.

import { modelCatalogue } from "../../contract/model-catalogue.ts";
import type { ModelReadiness, ModelRow, ModelStatus } from "../../contract/models.ts";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { hostOf } from "./hosts/hosts.ts";
import type { ModelHost } from "./hosts/host.ts";
import { flagCount, measureFlags, oneToken } from "./measure.ts";
import { pollSeconds, readinessOf, verdictReasons, withProbe } from "./readiness.ts";
import { claimProbe, keepFlags, readProbe, readProbes, settleProbe, type ProbeRow } from "./store.ts";

/** A model that is switched on for the first time may take this long to say its first token. */
const callTimeoutMs = 20_000;
/** A Worker is given 30 s after its answer. */
const measureTimeoutMs = 9_000;
/** A model that is switched on already answers within this, and then the caller need not come back. */
const waitMs = 1_000;

const catalogues = new WeakMap<Env, ModelRow[]>();

/** The rows that follow from the environment alone; worked out once for each. */
function offeredBy(env: Env): ModelRow[] {
  let rows = catalogues.get(env);
  if (!rows) {
    rows = modelCatalogue({
      anthropic: env.anthropic !== null,
      bedrockRegion: env.bedrock?.region ?? null,
      residencyOptIn: env.residencyOptIn,
    });
    catalogues.set(env, rows);
  }
  return rows;
}

/** The rows of this deployment, with what is known of each model. */
export function catalogueOf(env: Env, probes: readonly ProbeRow[] = []): ModelRow[] {
  const now = nowSeconds();
  const known = new Map(probes.map((probe) => [probe.model, probe]));
  return offeredBy(env).map((row) => withProbe(row, known.get(row.id), now));
}

/** The catalogue as it stands; when nothing can be read of the models, they are unknown. */
export async function readCatalogue(env: Env): Promise<ModelRow[]> {
  try {
    return catalogueOf(env, await readProbes(env.db));
  } catch (error) {
    log("error", "model_probes", describeError(error));
    return catalogueOf(env);
  }
}

function statusOf(model: string, { state, reason }: ModelReadiness): ModelStatus {
  const moving = state === "enabling" ? { poll_after_seconds: pollSeconds } : {};
  return { ok: state !== "unavailable", model, state, reason, ...moving };
}

const unavailable = (cause: unknown) =>
  failure("models_unavailable", "What is known of the models cannot be read right now.", cause);

/** The row of a model, and who to ask about it; nobody where it is built in or refused. */
function findModel(env: Env, model: string): Outcome<{ row: ModelRow; host: ModelHost | null }> {
  const row = catalogueOf(env).find(({ id }) => id === model);
  if (!row) return failure("not_found", `There is no model "${model}".`);
  return success({ row, host: row.selectable ? hostOf(env, model) : null });
}

/** How a model last answered. Calls nobody. */
export async function readStatus(env: Env, model: string): Promise<Outcome<ModelStatus>> {
  const found = findModel(env, model);
  if (!found.ok) return found;
  const { row, host } = found.value;
  try {
    const readiness = host ? readinessOf(await readProbe(env.db, model), nowSeconds()) : row.status;
    return success(statusOf(model, readiness ?? { state: "unknown", reason: "" }));
  } catch (cause) {
    return unavailable(cause);
  }
}

/** Work that goes on after the answer. */
export type Later = (work: Promise<unknown>) => void;

/**
 * Switches a model on: one call of one token, at most every 30 s whoever asks. Answers the result when it is there
 * within a second, else that it is on its way.
 */
export async function warmModel(env: Env, model: string, later: Later): Promise<Outcome<ModelStatus>> {
  const found = findModel(env, model);
  if (!found.ok || !found.value.host) return readStatus(env, model);
  const { host } = found.value;
  try {
    const claimed = await claimProbe(env.db, model, nowSeconds());
    if (!claimed) return await readStatus(env, model);
    const called = callModel(env.db, host, claimed);
    later(called.then((readiness) => measure(env.db, { host, claimed, readiness })));
    const early = await withinMs(called, waitMs);
    return success(statusOf(model, early ?? readinessOf(claimed, nowSeconds())));
  } catch (cause) {
    return unavailable(cause);
  }
}

/** What a promise comes to, or null when that takes longer. */
async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: number | null = null;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}

/** Never rejects: a result that cannot be kept is lost, and the next call finds it out again. */
async function callModel(db: D1Database, host: ModelHost, claimed: ProbeRow): Promise<ModelReadiness> {
  const { model, probedAt: claimedAt } = claimed;
  const verdict = await host.ask(model, oneToken, AbortSignal.timeout(callTimeoutMs));
  const state = verdict === "accepted" ? ("ready" as const) : ("unavailable" as const);
  const readiness = { state, reason: verdictReasons[verdict] };
  log("info", "model_probe", { model, verdict });
  try {
    await settleProbe(db, { model, claimedAt, ...readiness });
  } catch (error) {
    log("error", "model_probe", { model, ...describeError(error) });
  }
  return readiness;
}

interface Called {
  host: ModelHost;
  claimed: ProbeRow;
  readiness: ModelReadiness;
}

/** Finds out what a model that answers accepts, unless that is known. Never rejects. */
async function measure(db: D1Database, { host, claimed, readiness }: Called): Promise<void> {
  const { model, measuredAt } = claimed;
  const known = measuredAt !== null && measuredAt > nowSeconds() - limits.modelFlagsSeconds;
  if (readiness.state !== "ready" || known) return;
  try {
    const flags = await measureFlags({ host, model, signal: AbortSignal.timeout(measureTimeoutMs) });
    const measured = Object.keys(flags).length;
    await keepFlags(db, model, { flags, measuredAt: measured === flagCount ? nowSeconds() : null });
    log("info", "model_flags", { model, measured });
  } catch (error) {
    log("error", "model_flags", { model, ...describeError(error) });
  }
}
