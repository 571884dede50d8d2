// How the call stands as the client knows it: every pause and every change of language is told once.

import type { MicrophoneEvent } from "../../contract/microphone-socket.ts";
import type { Language } from "../../contract/tones.ts";
import { builtinLabel } from "../chat/tools/builtin.ts";
import type { PersonaAction } from "../chat/tools/toolbox.ts";
import type { CallChange } from "../live/call.ts";

const resumedLabels: Readonly<Record<Language, string>> = {
  en: "Resume the conversation",
  es: "Reanudar la conversación",
  fr: "Reprendre la conversation",
  de: "Gespräch fortsetzen",
  it: "Riprendere la conversazione",
  pt: "Retomar a conversa",
  hi: "बातचीत फिर शुरू करना",
  ja: "会話を再開",
};

function pauseEvent(paused: boolean, language: Language): MicrophoneEvent {
  const name = "pause_conversation";
  const label = paused ? (builtinLabel(name, language) ?? name) : resumedLabels[language];
  return { type: "action", name, label, paused };
}

function languageEvent(language: Language): MicrophoneEvent {
  const name = "set_language";
  return { type: "action", name, label: builtinLabel(name, language) ?? name, language };
}

export class CallState {
  /** In a conversation mode the client is told nothing of this. */
  readonly #silent: boolean;
  readonly #told: { paused: boolean; language: Language | null } = { paused: false, language: null };
  /** Changes that a running turn is expected to tell of. */
  readonly #waiting = new Map<CallChange["case"], CallChange>();
  #paused = false;
  #language: Language = "en";

  constructor({ silent }: { silent: boolean }) {
    this.#silent = silent;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** The call as it stands when the socket opens. */
  open({ paused, language }: { paused: boolean; language: Language }): MicrophoneEvent[] {
    this.#paused = paused;
    this.#language = language;
    this.#told.language = language;
    return this.#tell({ case: "paused", paused });
  }

  /** The turn tells of an action in its own words. False when it is not to be passed on. */
  acted(action: PersonaAction): boolean {
    if (action.name === "pause_conversation") this.#told.paused = action.paused;
    else if (action.name === "set_language") this.#told.language = action.language;
    else return true;
    return !this.#silent;
  }

  /** The call has changed. While a turn runs, it is the turn that tells of it. */
  changed(change: CallChange, turnRuns: boolean): MicrophoneEvent[] {
    if (change.case === "paused") this.#paused = change.paused;
    else this.#language = change.language;
    if (!turnRuns) return this.#tell(change);
    this.#waiting.set(change.case, change);
    return [];
  }

  /** Answers a `resume`, whatever it ends. */
  resume(): MicrophoneEvent[] {
    this.#paused = false;
    this.#told.paused = false;
    this.#waiting.delete("paused");
    return this.#silent ? [] : [pauseEvent(false, this.#language)];
  }

  /** The turn is over: what it has not told of is told now. */
  settle(): MicrophoneEvent[] {
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    return changes.flatMap((change) => this.#tell(change));
  }

  #tell(change: CallChange): MicrophoneEvent[] {
    if (change.case === "paused") {
      if (change.paused === this.#told.paused) return [];
      this.#told.paused = change.paused;
      return this.#silent ? [] : [pauseEvent(change.paused, this.#language)];
    }
    if (change.language === this.#told.language) return [];
    this.#told.language = change.language;
    return this.#silent ? [] : [languageEvent(change.language)];
  }
}
