// The settings record, the form over it, and saving what differs.

import { type LibraryAvatar, libraryListSchema } from "../../contract/library.ts";
import {
  type Settings,
  type SettingsPatch,
  type SettingsRead,
  settingsReadSchema,
  settingsSavedSchema,
} from "../../contract/settings.ts";
import { requestPortal } from "../portal/request.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { changesOf, type Draft, draftOf, placeOfRefusal, type Problems } from "./draft.ts";

export const settingsPortal = {
  read(): Promise<SettingsRead> {
    return requestPortal("/auth/settings", settingsReadSchema);
  },
  save(patch: SettingsPatch): Promise<{ saved: boolean; settings: Settings }> {
    return requestPortal("/auth/settings", settingsSavedSchema, { method: "POST", json: patch });
  },
  async avatars(): Promise<LibraryAvatar[]> {
    return (await requestPortal("/auth/avatars", libraryListSchema)).avatars;
  },
};

export interface SettingsForm {
  stored: Settings;
  draft: Draft;
  catalogue: Omit<SettingsRead, "settings">;
}

export interface SettingsState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  /** Null until the record has been read. */
  form: SettingsForm | null;
  /** Null where the library cannot be listed; the chosen avatar then stays as it is. */
  avatars: readonly LibraryAvatar[] | null;
  saving: boolean;
  /** Shown from the first attempt to save on, and until the field is changed. */
  problems: Problems;
  /** A refusal or failure that belongs to no field. */
  failure: string | null;
  /** The last save: durable, or for as long as the box lives. Null once something is changed again. */
  outcome: "saved" | "not_persisted" | null;
}

export class SettingsStore extends Store<SettingsState> {
  readonly #portal: typeof settingsPortal;

  constructor(wired: typeof settingsPortal = settingsPortal) {
    super({
      status: "loading",
      error: null,
      form: null,
      avatars: null,
      saving: false,
      problems: {},
      failure: null,
      outcome: null,
    });
    this.#portal = wired;
  }

  readonly load = async (): Promise<void> => {
    this.update({ status: "loading", error: null });
    // The library is a choice among many here: without it the form still works.
    const listing = this.#portal.avatars().catch(() => null);
    try {
      const { settings, ...catalogue } = await this.#portal.read();
      const form = { stored: settings, draft: draftOf(settings), catalogue };
      this.update({ status: "ready", form, problems: {}, failure: null });
    } catch (thrown) {
      this.update({ status: "error", error: asVisavisError(thrown) });
    }
    this.update({ avatars: await listing });
  };

  readonly edit = (part: Partial<Draft>): void => {
    const { form, problems } = this.get();
    if (!form) return;
    const edited = Object.keys(part);
    // Of a list only the whole is known to have changed; its problems are looked for again at the next save.
    const left = Object.entries(problems).filter(([place]) => !edited.includes(place.split(".")[0] ?? place));
    this.update({
      form: { ...form, draft: { ...form.draft, ...part } },
      problems: Object.fromEntries(left),
      failure: null,
      outcome: null,
    });
  };

  readonly revert = (): void => {
    const { form } = this.get();
    if (!form) return;
    this.update({
      form: { ...form, draft: draftOf(form.stored) },
      problems: {},
      failure: null,
      outcome: null,
    });
  };

  /** Sends what differs. Resolves with whether it was taken; what was typed meanwhile stays in the form. */
  readonly save = async (): Promise<boolean> => {
    const { form, saving } = this.get();
    if (!form || saving) return false;
    const { patch, problems, changed } = changesOf(form.stored, form.draft);
    if (changed.length === 0) return true;
    if (Object.keys(problems).length > 0) {
      this.update({ problems, failure: null, outcome: null });
      return false;
    }
    this.update({ saving: true, problems: {}, failure: null, outcome: null });
    try {
      const { saved, settings } = await this.#portal.save(patch);
      this.#saved(settings, form.draft, saved ? "saved" : "not_persisted");
      return true;
    } catch (thrown) {
      this.#refused(asVisavisError(thrown), form.draft);
      return false;
    }
  };

  #saved(stored: Settings, sent: Draft, outcome: "saved" | "not_persisted"): void {
    const { form } = this.get();
    if (!form) return;
    const fresh = draftOf(stored);
    const typed = Object.entries(form.draft).filter(([field, value]) => value !== sent[field as keyof Draft]);
    const draft = { ...fresh, ...(Object.fromEntries(typed) as Partial<Draft>) };
    this.update({ saving: false, form: { ...form, stored, draft }, outcome });
  }

  #refused(error: VisavisError, sent: Draft): void {
    const place = error.code === "setting_refused" ? placeOfRefusal(error.message, sent) : null;
    // The quoted path is for programs; the field it names stands right above the sentence.
    const sentence = place === null ? error.message : error.message.replace(/^"[^"]+":\s*/, "");
    const text = sentence.charAt(0).toUpperCase() + sentence.slice(1);
    this.update({
      saving: false,
      ...(place === null ? { failure: text } : { problems: { [place]: text } }),
    });
  }
}
