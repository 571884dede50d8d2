// The model catalogue as rules: which rows a deployment offers, where each runs, and which of several addresses wins.

import { addressResidency, compareNumbers, parseModelId, regionResidency } from "./model-ids.ts";
import { anthropicModelIds, bedrockModelIds, claudeFamilies } from "./model-offers.ts";
import { rehearsalModel, residencies, type ModelRow, type Residency } from "./models.ts";

/** One model at one address. */
export interface Offer {
  id: string;
  residency: Residency;
  /** Maker, family and version: offers that agree in it are one model. */
  model: string;
  /** Date and revision of the copy; empty when the address names none. */
  snapshot: readonly number[];
}

const rank = (residency: Residency) => residencies.indexOf(residency);

/** Only copies that both name their snapshot can be told to be older or newer. */
function isNewer(one: Offer, other: Offer): boolean {
  if (one.snapshot.length === 0 || other.snapshot.length === 0) return false;
  return compareNumbers(one.snapshot, other.snapshot) > 0;
}

/** Of one model's copies the nearest, and each one further away that is newer than all that are nearer. */
function chooseCopies(copies: readonly Offer[]): Offer[] {
  const nearestFirst = copies.toSorted(
    (one, other) =>
      rank(one.residency) - rank(other.residency) || compareNumbers(other.snapshot, one.snapshot),
  );
  const chosen: Offer[] = [];
  for (const offer of nearestFirst) {
    const isFurther = chosen.every((kept) => kept.residency !== offer.residency);
    if (isFurther && chosen.every((kept) => isNewer(offer, kept))) chosen.push(offer);
  }
  return chosen;
}

/**
 * Of each model the most resident copy, and beside it a copy further away only where that one is genuinely newer.
 * Copies as near and as new as each other: the first one listed. Most resident first, and then as listed.
 */
export function chooseOffers(offers: readonly Offer[]): Offer[] {
  const copies = Map.groupBy(offers, ({ model }) => model);
  const chosen = new Set([...copies.values()].flatMap(chooseCopies));
  return offers
    .filter((offer) => chosen.has(offer))
    .toSorted((one, other) => rank(one.residency) - rank(other.residency));
}

function claudeOffer(id: string, region: string): Offer | null {
  const address = parseModelId(id);
  if (!address) return null;
  const { family, version, snapshot } = address;
  return {
    id,
    residency: addressResidency(address, region),
    model: `anthropic ${family} ${version.join(".")}`,
    snapshot,
  };
}

/** A geography's profile can be called from inside that geography alone. */
function isCallable(offer: Offer, region: string): boolean {
  return rank(regionResidency(region)) <= rank(offer.residency);
}

/** Flags nobody has probed say the least: no sampling, no effort, no thinking control. */
const unmeasured = {
  supports_sampling: false,
  supports_effort: false,
  effort_max: false,
  reasoning: "none",
  default_reasoning: "off",
} as const;

function describe(id: string): Pick<ModelRow, "label" | "tiers" | "provider"> {
  const address = parseModelId(id);
  if (!address) {
    return { label: "Rehearsal (scripted, no key needed)", tiers: ["quality", "fast"], provider: "builtin" };
  }
  const { family, version } = address;
  const known = claudeFamilies[family];
  const name = `Claude ${family.charAt(0).toUpperCase()}${family.slice(1)} ${version.join(".")}`;
  return {
    label: known ? `${name} (${known.tradeOff})` : name,
    tiers: [...(known?.tiers ?? [])],
    provider: "anthropic",
  };
}

export interface CatalogueOptions {
  /** A key for the Anthropic API is configured. */
  anthropic: boolean;
  /** The region in which Bedrock is called; null where it is not configured. */
  bedrockRegion?: string | null;
  /** Residencies beside `au` that this deployment lets its callers choose (`RESIDENCY_OPT_IN`). */
  residencyOptIn: readonly Residency[];
}

const farther = "This deployment sends no data outside its region, and this model runs";
const refusals = { au: "", apac: `${farther} in Asia-Pacific.`, global: `${farther} anywhere.` };

/** Every model a deployment offers, most resident first. `selectable` follows from residency and the opt-in alone. */
export function modelCatalogue({
  anthropic,
  bedrockRegion = null,
  residencyOptIn,
}: CatalogueOptions): ModelRow[] {
  const offers: Offer[] = [{ id: rehearsalModel, residency: "au", model: rehearsalModel, snapshot: [] }];
  const add = (ids: readonly string[], region: string) => {
    for (const id of ids) {
      const offer = claudeOffer(id, region);
      if (offer && isCallable(offer, region)) offers.push(offer);
    }
  };
  if (anthropic) add(anthropicModelIds, "");
  if (bedrockRegion !== null) add(bedrockModelIds, bedrockRegion);
  return chooseOffers(offers).map(({ id, residency }): ModelRow => {
    const selectable = residency === "au" || residencyOptIn.includes(residency);
    const probed = { state: "unknown", reason: "Not probed yet." } as const;
    const refused = { state: "unavailable", reason: refusals[residency] } as const;
    const ready = { state: "ready", reason: "" } as const;
    return {
      ...unmeasured,
      ...describe(id),
      id,
      residency,
      selectable,
      status: id === rehearsalModel ? ready : selectable ? probed : refused,
    };
  });
}
