// The voices there are, the search among them, and the one new sessions start with.

import type { VoiceCatalogue, VoiceGroup, VoiceRow, VoiceSettings } from "../../contract/voices.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { VoicesApi } from "./voices-api.ts";

/** How often to look while an engine is still starting. */
const pollMs = 3000;

export interface CatalogueState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  catalogue: VoiceCatalogue | null;
  refreshing: boolean;
  query: string;
  /** A language as rows name it; empty means all. */
  language: string;
  /** Key of the row being made the default. */
  choosing: string | null;
  problem: string | null;
}

export interface CatalogueOptions {
  api: Pick<VoicesApi, "catalogue" | "setDefault" | "forgetDefault">;
  onSettings(settings: VoiceSettings): void;
}

/** Ids are unique within a provider only. */
export const rowKey = ({ provider, id }: Pick<VoiceRow, "provider" | "id">): string => `${provider}/${id}`;

/** Languages of the catalogue as people call them, sorted by that name. */
export function languagesOf({ voices }: VoiceCatalogue): { value: string; label: string }[] {
  const values = new Set(voices.map(({ language }) => language).filter((language) => language !== ""));
  return Array.from(values, (value) => ({ value, label: languageName(value) })).sort((a, b) =>
    a.label.localeCompare(b.label),
  );
}

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** "pt-BR" is "Brazilian Portuguese"; what is no language tag stays as the provider wrote it. */
export function languageName(tag: string): string {
  try {
    return names.of(tag.replace("_", "-")) ?? tag;
  } catch {
    return tag;
  }
}

function folded(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Groups with the rows that match; a group nobody filtered stays, so that its state can be seen. */
export function visibleGroups({ catalogue, query, language }: CatalogueState): VoiceGroup[] {
  if (!catalogue) return [];
  const words = folded(query).split(/\s+/);
  const fits = (row: VoiceRow) => {
    const text = folded(
      [row.name, row.description, row.gender, row.language, languageName(row.language)].join("\n"),
    );
    return (language === "" || row.language === language) && words.every((word) => text.includes(word));
  };
  return catalogue.groups.map((group) => ({ ...group, voices: group.voices.filter(fits) }));
}

function isMoving({ groups, engine_ready: ready }: VoiceCatalogue): boolean {
  return !ready || groups.some(({ state }) => state === "starting");
}

export class CatalogueStore extends Store<CatalogueState> {
  readonly #options: CatalogueOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watching = false;
  /** The read that may still be shown. */
  #turn = 0;

  constructor(options: CatalogueOptions) {
    super({
      status: "loading",
      error: null,
      catalogue: null,
      refreshing: false,
      query: "",
      language: "",
      choosing: null,
      problem: null,
    });
    this.#options = options;
  }

  readonly setQuery = (query: string): void => this.update({ query });
  readonly setLanguage = (language: string): void => this.update({ language });
  readonly dismissProblem = (): void => this.update({ problem: null });

  /** Reads the catalogue, and goes on reading while an engine starts. */
  readonly watch = (): (() => void) => {
    this.#watching = true;
    void this.load();
    return () => {
      this.#watching = false;
      clearTimeout(this.#timer);
    };
  };

  readonly load = (): Promise<void> => this.#read(false);

  /** Asks the providers again rather than the cache. */
  readonly refresh = async (): Promise<void> => {
    if (this.get().refreshing) return;
    this.update({ refreshing: true, problem: null });
    await this.#read(true);
    this.update({ refreshing: false });
  };

  readonly makeDefault = async (row: VoiceRow): Promise<void> => {
    const chosen = { provider: row.provider, id: row.id };
    await this.#change(rowKey(row), chosen, () =>
      this.#options.api.setDefault({ engine: row.provider, voice_id: row.id, display_name: row.name }),
    );
  };

  readonly forgetDefault = async (): Promise<void> => {
    const { catalogue } = this.get();
    if (!catalogue?.portal_default) return;
    await this.#change(rowKey(catalogue.portal_default), null, () => this.#options.api.forgetDefault());
  };

  async #change(
    choosing: string,
    portalDefault: VoiceCatalogue["portal_default"],
    save: () => Promise<VoiceSettings>,
  ): Promise<void> {
    const before = this.get().catalogue;
    if (!before || this.get().choosing) return;
    this.update({ choosing, problem: null, catalogue: { ...before, portal_default: portalDefault } });
    try {
      this.#options.onSettings(await save());
      this.update({ choosing: null });
      await this.load();
    } catch (thrown) {
      const shown = this.get().catalogue ?? before;
      this.update({
        choosing: null,
        problem: asVisavisError(thrown).message,
        catalogue: { ...shown, portal_default: before.portal_default },
      });
    }
  }

  async #read(refresh: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const catalogue = await this.#options.api.catalogue({ refresh });
      // What is being chosen right now is newer than what was read.
      if (turn !== this.#turn || this.get().choosing) return;
      this.update({ status: "ready", error: null, catalogue });
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (!this.get().catalogue) this.update({ status: "error", error });
      else if (refresh) this.update({ problem: error.message });
    }
    const { catalogue } = this.get();
    if (this.#watching && turn === this.#turn && catalogue && isMoving(catalogue)) {
      this.#timer = setTimeout(() => void this.load(), pollMs);
    }
  }
}
