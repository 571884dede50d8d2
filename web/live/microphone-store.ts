// The microphone as the studio shows it: whether it hears, what it heard last, and what the persona does meanwhile.

import type { Language } from "../../contract/tones.ts";
import { asVisavisError, type Client, type MicrophoneEventMap, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

/** `hearing`: listening, and somebody speaks. `refused`: off, and not by the person's wish. */
export type MicrophonePhase =
  | "off"
  | "asking"
  | "connecting"
  | "listening"
  | "hearing"
  | "muted"
  | "reconnecting"
  | "refused";

export interface MicrophoneState {
  phase: MicrophonePhase;
  /** Why it is refused, or what it waits for while it is reconnecting. */
  problem: VisavisError | null;
  /** The person's words that are not in the transcript yet; `settled` once they are a turn. */
  heard: { text: string; settled: boolean } | null;
  /** What the persona is doing, in words for people. */
  tool: string | null;
  /** The persona waits until it is called back. */
  paused: boolean;
  /** What the call turned to, as far as this microphone was told. Null: nobody told which language it is in. */
  language: Language | null;
}

const quiet = { heard: null, tool: null, paused: false, language: null } satisfies Partial<MicrophoneState>;

/** A tool's name, where nobody has told its label. */
function readable(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export class MicrophoneStore extends Store<MicrophoneState> {
  readonly #client: Client;
  readonly #unlisten: (() => void)[];
  /** What the transcript has got last, in case it was faster than the microphone's own event. */
  #written = "";

  readonly #liveVoice: () => string | null;

  /** `liveVoice`: what turns are to be spoken with; null where the session's own voice is right. */
  constructor(client: Client, { liveVoice = () => null }: { liveVoice?(): string | null } = {}) {
    super({ ...quiet, phase: "off", problem: null });
    this.#client = client;
    this.#liveVoice = liveVoice;
    this.#unlisten = [...this.#listen(), ...this.#listenToSession()];
  }

  /** What pressing the microphone's button does. */
  readonly press = (): void => {
    const { phase } = this.get();
    if (phase === "off" || phase === "refused") this.start();
    else if (phase === "asking" || phase === "connecting") this.stop();
    else this.toggleMuted();
  };

  readonly start = (): void => {
    this.update({ problem: null });
    // Why it failed comes as the microphone's state; only a page without a session is told by the promise alone.
    const voice = this.#liveVoice();
    this.#client.microphone.start(voice === null ? {} : { voice }).catch((thrown: unknown) => {
      const problem = asVisavisError(thrown);
      if (problem.code === "not_connected") this.update({ phase: "refused", problem });
    });
  };

  readonly stop = (): void => this.#client.microphone.stop();

  readonly toggleMuted = (): void => {
    const { microphone } = this.#client;
    if (microphone.muted) microphone.unmute();
    else microphone.mute();
  };

  readonly resume = (): void => this.#client.microphone.resume();

  readonly dismissProblem = (): void => {
    if (this.get().phase === "refused") this.update({ phase: "off" });
    this.update({ problem: null });
  };

  readonly dispose = (): void => {
    for (const unlisten of this.#unlisten) unlisten();
    this.#client.microphone.stop();
  };

  #listen(): (() => void)[] {
    const { microphone } = this.#client;
    const clearTool = () => this.update({ tool: null });
    return [
      microphone.addListener("MICROPHONE_STATE", (event) => this.#onState(event)),
      // The box tells of a pause after this, and of a language only when it changes: what was known before may be out of date.
      microphone.addListener("READY", () => this.update({ paused: false, language: null })),
      microphone.addListener("PARTIAL", ({ text }) => {
        this.#written = "";
        this.#hear(text === "" ? null : { text, settled: false });
      }),
      microphone.addListener("FINAL", ({ text }) => {
        this.#hear(this.#isWritten(text) ? null : { text, settled: true });
      }),
      microphone.addListener("CAPTION_CLEAR", () => this.#hear(null)),
      microphone.addListener("STATE", (state) => {
        if ("bargein" in state) clearTool();
        else if (!state.thinking) {
          clearTool();
          if (this.get().heard?.settled) this.#hear(null);
        }
      }),
      microphone.addListener("TOOL", ({ label }) => this.update({ tool: label })),
      microphone.addListener("REPLY_CHUNK", clearTool),
      microphone.addListener("REPLY_ERROR", clearTool),
      microphone.addListener("ACTION", (action) => {
        if (action.name === "pause_conversation") this.update({ paused: action.paused });
        if (action.name === "set_language") this.update({ language: action.language });
        if (action.name === "end_call") this.update({ tool: action.label });
      }),
    ];
  }

  #listenToSession(): (() => void)[] {
    const client = this.#client;
    const clearTool = () => this.update({ tool: null });
    return [
      client.addListener("USER_MESSAGE", ({ content }) => {
        this.#written = content;
        const { heard } = this.get();
        if (heard && (heard.settled || this.#isWritten(heard.text))) this.#hear(null);
      }),
      // Where the microphone is off, nobody tells the label of a tool.
      client.addListener("TOOL_CALL", ({ name }) => {
        if (this.get().tool === null) this.update({ tool: readable(name) });
      }),
      client.addListener("MESSAGE_STREAM_EVENT_RECEIVED", clearTool),
      client.addListener("MESSAGE", clearTool),
      client.addListener("INTERRUPTED", clearTool),
      client.addListener("ERROR", clearTool),
      client.addListener("CLOSED", () => this.update(quiet)),
    ];
  }

  #onState({ state, muted, error }: MicrophoneEventMap["MICROPHONE_STATE"]): void {
    if (state === "off") {
      // A session that is over says so itself.
      const refused = error !== null && this.#client.connectionState !== "closed";
      this.update({ ...quiet, phase: refused ? "refused" : "off", problem: refused ? error : null });
    } else if (state === "listening") {
      this.update({ phase: muted ? "muted" : "listening", problem: null });
      if (muted && this.get().heard?.settled === false) this.#hear(null);
    } else if (state === "reconnecting") {
      this.update({ phase: state, problem: error ?? this.get().problem, heard: null, language: null });
    } else {
      // Dialling again is part of reconnecting.
      const again = state === "connecting" && this.get().phase === "reconnecting";
      this.update({ phase: again ? "reconnecting" : state });
    }
  }

  #hear(heard: MicrophoneState["heard"]): void {
    this.update({ heard });
    const { phase } = this.get();
    if (phase !== "listening" && phase !== "hearing") return;
    this.update({ phase: heard && !heard.settled ? "hearing" : "listening" });
  }

  /** A turn that goes on from an interrupted one may be written with the words before. */
  #isWritten(text: string): boolean {
    return text !== "" && this.#written.endsWith(text);
  }
}
