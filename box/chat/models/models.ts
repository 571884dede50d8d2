// Which model answers: the catalogue of this box and the adapter behind each row.

import { modelCatalogue } from "../../../contract/model-catalogue.ts";
import { parseModelId } from "../../../contract/model-ids.ts";
import { modelParameters, type ModelParameters } from "../../../contract/model-parameters.ts";
import type { ModelRow } from "../../../contract/models.ts";
import type { Settings } from "../../../contract/settings.ts";
import type { BoxConfig } from "../../config.ts";
import { Refusal } from "../../failure.ts";
import { BedrockModels } from "./bedrock.ts";
import { ClaudeModels } from "./claude.ts";
import type { ModelProvider } from "./model.ts";
import { ModelReadinesses } from "./readiness.ts";
import { RehearsalModel } from "./rehearsal.ts";

export interface ChosenModel {
  row: ModelRow;
  provider: ModelProvider;
}

/** A row names the maker of its model; who is asked for a reply is the host, which stands in the id. */
function hostOf({ id, provider }: ModelRow): string {
  return parseModelId(id)?.host ?? provider;
}

export class Models {
  readonly catalogue: ModelRow[];
  /** Which of them answer. */
  readonly readiness: ModelReadinesses;
  readonly #providers: Map<string, ModelProvider>;

  constructor(catalogue: ModelRow[], providers: readonly ModelProvider[]) {
    this.catalogue = catalogue;
    this.#providers = new Map(providers.map((provider) => [provider.id, provider]));
    this.readiness = new ModelReadinesses({
      catalogue,
      providerOf: (row) => this.#providers.get(hostOf(row)) ?? null,
    });
  }

  /** The model for a live conversation, or for a single turn. Throws Refusal `model_unavailable`. */
  choose(settings: Settings, live: boolean): ChosenModel {
    const id = live ? settings.live_model : settings.model;
    const row = this.catalogue.find((candidate) => candidate.id === id);
    const provider = row && this.#providers.get(hostOf(row));
    if (!row || !provider)
      throw new Refusal(
        "model_unavailable",
        `The model ${JSON.stringify(id)} is not configured on this box.`,
      );
    if (!row.selectable)
      throw new Refusal(
        "model_unavailable",
        `The model ${JSON.stringify(id)} runs outside the regions this deployment sends data to.`,
      );
    return { row, provider };
  }

  /** What may be sent to a model: what it was measured to accept stands in the rows that came with the settings. */
  parameters(settings: Settings, { row }: ChosenModel, measured: readonly ModelRow[]): ModelParameters {
    const known = (id: string) => [...measured, ...this.catalogue].find((candidate) => candidate.id === id);
    const asked = known(row.id) ?? row;
    return modelParameters({ settings, row: asked, live: known(settings.live_model) ?? asked });
  }
}

/** The models that the configuration allows for. */
export function configuredModels(
  config: Pick<BoxConfig, "anthropic" | "bedrock" | "residencyOptIn">,
): Models {
  const providers: ModelProvider[] = [new RehearsalModel()];
  if (config.anthropic) providers.push(new ClaudeModels(config.anthropic));
  if (config.bedrock) providers.push(new BedrockModels(config.bedrock));
  const catalogue = modelCatalogue({
    anthropic: config.anthropic !== null,
    bedrockRegion: config.bedrock?.region ?? null,
    residencyOptIn: config.residencyOptIn,
  });
  return new Models(catalogue, providers);
}
