// The table of what is known of each hosted model.

import { eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { limits } from "../../contract/limits.ts";
import { modelProbes, type MeasuredFlags } from "../platform/schema/settings.ts";

export type ProbeRow = typeof modelProbes.$inferSelect;

export async function readProbes(db: D1Database): Promise<ProbeRow[]> {
  return drizzle(db).select().from(modelProbes);
}

/** Everything known as one expression: a JSON array of `ProbeRow`. */
export const probesAsJson: SQL = sql`(SELECT json_group_array(json_object('model', model, 'state', state,
  'reason', reason, 'probedAt', probed_at, 'flags', json(flags), 'measuredAt', measured_at)) FROM model_probes)`;

export async function readProbe(db: D1Database, model: string): Promise<ProbeRow | undefined> {
  return drizzle(db).select().from(modelProbes).where(eq(modelProbes.model, model)).get();
}

/**
 * Takes the right to call a model: the row as it then stands, or undefined when the last call is less than 30 s old or
 * nothing is to be found out. Taking it and looking are one statement, so that of many at once one succeeds. A model
 * that is still ready stays so while it is only its flags that are missing or old.
 */
export async function claimProbe(db: D1Database, model: string, now: number): Promise<ProbeRow | undefined> {
  const fresh = sql`state = 'ready' AND probed_at > ${now - limits.modelReadySeconds}`;
  const measured = sql`coalesce(measured_at > ${now - limits.modelFlagsSeconds}, 0)`;
  return drizzle(db)
    .insert(modelProbes)
    .values({ model, state: "enabling", reason: "", probedAt: now })
    .onConflictDoUpdate({
      target: modelProbes.model,
      set: {
        state: sql`CASE WHEN ${fresh} THEN 'ready' ELSE 'enabling' END`,
        reason: "",
        probedAt: now,
      },
      setWhere: sql`probed_at <= ${now - limits.modelProbeSeconds} AND NOT (${fresh} AND ${measured})`,
    })
    .returning()
    .get();
}

export interface ProbeResult {
  model: string;
  /** When the call was claimed: a later claim makes this result void. */
  claimedAt: number;
  state: "ready" | "unavailable";
  reason: string;
}

export async function settleProbe(
  db: D1Database,
  { model, claimedAt, state, reason }: ProbeResult,
): Promise<void> {
  await drizzle(db)
    .update(modelProbes)
    .set({ state, reason })
    .where(sql`model = ${model} AND probed_at = ${claimedAt}`);
}

/** Lays what was measured over what was known. `measuredAt` is null while something is still missing. */
export async function keepFlags(
  db: D1Database,
  model: string,
  { flags, measuredAt }: { flags: MeasuredFlags; measuredAt: number | null },
): Promise<void> {
  await drizzle(db)
    .update(modelProbes)
    .set({ flags: sql`json_patch(coalesce(flags, '{}'), ${JSON.stringify(flags)})`, measuredAt })
    .where(eq(modelProbes.model, model));
}
