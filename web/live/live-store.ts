// The live session as the studio shows it: the client's events, turned into state.

import type { ConnectAnswer } from "../../contract/live.ts";
import type { Tone } from "../../contract/tones.ts";
import {
  asVisavisError,
  type Client,
  type CloseReason,
  type ConnectFields,
  type ConnectionState,
  type EventMap,
  type MicrophoneEventMap,
  type StreamStats,
  type VisavisError,
} from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { languageName } from "./languages.ts";
import {
  captionAt,
  type Captions,
  clauseAdded,
  cleared,
  noCaptions,
  voiceEnded,
  voiceStarted,
  wholeText,
} from "./captions.ts";
import * as conversation from "./conversation.ts";

export type SpeakMode = "message" | "talk";

export interface LiveState {
  connection: ConnectionState;
  /** The first picture is on the screen. */
  picture: boolean;
  closed: { reason: CloseReason; message: string } | null;
  warning: string | null;
  turns: conversation.Turn[];
  caption: string | null;
  /** How the clause on the screen is said; null where nobody speaks or has said. */
  tone: Tone | null;
  captionsOn: boolean;
  speaking: boolean;
  thinking: boolean;
  muted: boolean;
  tones: readonly Tone[];
  stats: StreamStats | null;
  firstFrameMs: number | null;
  /** What the box measured of the last turn. */
  turn: TurnFigures | null;
  /** From the person's last word to the first sound; null unless the last turn was spoken. */
  spokenMs: number | null;
  /** The box speaks on another account than the one asked for, in its own words; empty when it does not. */
  voiceNotice: string;
  /** The session is being recorded. */
  recording: boolean;
}

/** What a session begins with besides a face. */
export type LiveWish = Pick<ConnectFields, "voice" | "voice_provider" | "recording" | "audio">;

export interface LiveOptions {
  /** What turns are to be spoken with; null where the session's own voice is right. */
  liveVoice?(): string | null;
  /** A session was refused; true when somebody else tells why. */
  onRefused?(error: VisavisError): Promise<boolean>;
  /** A session was refused for the voice it named, and began without it. Returns what to tell. */
  onVoiceRefused?(): string;
}

/** Milliseconds from the message: the model's first words, the voice's first sound after them, and both together. */
export type TurnFigures = Pick<EventMap["METRIC"], "llm_ms" | "tts_ms" | "first_audio_ms" | "first_frame_ms">;

const offAir = {
  picture: false,
  closed: null,
  warning: null,
  caption: null,
  tone: null,
  speaking: false,
  thinking: false,
  tones: [],
  stats: null,
  firstFrameMs: null,
  turn: null,
  spokenMs: null,
  voiceNotice: "",
  recording: false,
} satisfies Partial<LiveState>;

export class LiveStore extends Store<LiveState> {
  readonly #client: Client;
  readonly #liveOptions: LiveOptions;
  #captions: Captions = noCaptions;
  /** Of the clauses that are on their way to the screen. */
  readonly #clauseTones = new Map<string, Tone>();
  #captionTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #unlisten: (() => void)[];

  constructor(client: Client, options: LiveOptions = {}) {
    super({ ...offAir, connection: "idle", turns: [], captionsOn: true, muted: false });
    this.#client = client;
    this.#liveOptions = options;
    this.#unlisten = this.#listen();
  }

  readonly goLive = async (avatar: string, wish: LiveWish = {}): Promise<void> => {
    this.#setCaptions(cleared(this.#captions));
    this.update({ ...offAir, turns: [] });
    try {
      const { answer, warning } = await this.#connect({ avatar, kind: "studio", ...wish });
      this.update({ tones: answer.tones, recording: wish.recording !== undefined, warning });
      void this.#readVoiceNotice();
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (error.code === "aborted") return;
      const told = await this.#liveOptions.onRefused?.(error);
      this.update({ closed: told ? null : { reason: "refused", message: error.message } });
    }
  };

  readonly end = (): void => void this.#client.disconnect();

  readonly say = (text: string, mode: SpeakMode, tone?: Tone): boolean => {
    try {
      // A message takes the floor from whoever speaks; words to be said exactly wait their turn.
      if (mode === "message" && this.get().speaking) this.#cutShort();
      const liveVoice = this.#liveOptions.liveVoice?.() ?? null;
      const voice = liveVoice === null ? {} : { voice: liveVoice };
      const correlationId =
        mode === "talk"
          ? this.#client.talk(text, { ...voice, ...(tone ? { tone } : {}) })
          : this.#client.message(text, voice);
      this.#setTurns(conversation.sent(this.get().turns, { text, correlationId, mode }));
      this.update({ spokenMs: null });
      return true;
    } catch (thrown) {
      this.update({ warning: asVisavisError(thrown).message });
      return false;
    }
  };

  readonly interrupt = (): void => {
    if (this.get().connection !== "connected") return;
    this.#client.interrupt();
    this.#cutShort();
  };

  readonly toggleMuted = (): void => {
    if (this.#client.muted) this.#client.unmute();
    else this.#client.mute();
    this.update({ muted: this.#client.muted, warning: null });
  };

  readonly toggleCaptions = (): void => this.update({ captionsOn: !this.get().captionsOn });

  readonly dismissWarning = (): void => this.update({ warning: null });

  readonly dismissClosed = (): void => this.update({ closed: null });

  readonly dispose = (): void => {
    clearTimeout(this.#captionTimer);
    for (const unlisten of this.#unlisten) unlisten();
    void this.#client.disconnect();
  };

  #listen(): (() => void)[] {
    const client = this.#client;
    const turns = () => this.get().turns;
    return [
      client.addListener("CONNECTION_STATE", ({ state }) => this.update({ connection: state })),
      client.addListener("SESSION_READY", ({ tones }) => this.update({ tones })),
      client.addListener("VIDEO_PLAY_STARTED", ({ firstFrameMs }) =>
        this.update({ picture: true, firstFrameMs }),
      ),
      client.addListener("STATS", (stats) => this.update({ stats })),
      client.addListener("METRIC", (turn) => this.update({ turn })),
      client.addListener("WARNING", ({ message }) =>
        this.update({ warning: message, muted: this.#client.muted }),
      ),
      client.addListener("USER_MESSAGE", (event) => this.#setTurns(conversation.heard(turns(), event))),
      client.addListener("MESSAGE_STREAM_EVENT_RECEIVED", (event) => {
        // Only tells that the speech ends; the whole message follows.
        if (event.content === "") return;
        this.#setTurns(conversation.clauseArrived(turns(), event));
        this.#clauseTones.set(event.content.trim(), event.tone);
        this.#setCaptions(clauseAdded(this.#captions, event.correlationId, event.content));
      }),
      client.addListener("MESSAGE", (event) => {
        this.#setTurns(conversation.replyClosed(turns(), event));
        this.#setCaptions(wholeText(this.#captions, event.correlationId, event.content));
      }),
      client.addListener("AVATAR_SPEECH_STARTED", ({ correlationId }) => {
        this.update({ speaking: true });
        this.#setCaptions(voiceStarted(this.#captions, correlationId, performance.now()));
      }),
      client.addListener("AVATAR_SPEECH_ENDED", (event) => {
        this.update({ speaking: false });
        this.#setTurns(conversation.speechEnded(turns(), event));
        this.#setCaptions(voiceEnded(this.#captions, event.correlationId, performance.now()));
      }),
      client.addListener("INTERRUPTED", () => {
        this.update({ speaking: false });
        this.#cutShort();
      }),
      client.addListener("ERROR", ({ error, fatal }) => {
        if (fatal) return;
        this.update({ speaking: false });
        this.#setTurns(conversation.noticed(conversation.settled(turns(), "failed"), error.message));
      }),
      client.addListener("CLOSED", ({ reason, message }) => {
        this.#setTurns(conversation.settled(turns(), "done"));
        this.#setCaptions(cleared(this.#captions));
        const closed = reason === "disconnected" ? null : { reason, message };
        this.update({
          closed,
          picture: false,
          speaking: false,
          thinking: false,
          stats: null,
          voiceNotice: "",
          recording: false,
        });
      }),
      ...this.#listenToMicrophone(),
    ];
  }

  /** The control socket writes the transcript, of spoken turns too; from the microphone comes what it does not tell. */
  #listenToMicrophone(): (() => void)[] {
    const { microphone } = this.#client;
    return [
      microphone.addListener("METRIC", ({ first_audio_ms }) => this.update({ spokenMs: first_audio_ms })),
      microphone.addListener("VOICE_NOTICE", ({ notice }) => this.update({ voiceNotice: notice })),
      microphone.addListener("ACTION", (action) => this.#note(action)),
      microphone.addListener("STATE", (state) => {
        if ("bargein" in state) {
          this.update({ speaking: false });
          this.#cutShort();
        } else if (!state.thinking) {
          this.#setTurns(conversation.unanswered(this.get().turns));
        }
      }),
    ];
  }

  /** A voice may be gone since it was picked; that is no reason to stay away. */
  async #connect(fields: ConnectFields): Promise<{ answer: ConnectAnswer; warning: string | null }> {
    const { voice, voice_provider: _, ...usual } = fields;
    try {
      return { answer: await this.#client.connect(fields), warning: null };
    } catch (thrown) {
      if (voice === undefined || asVisavisError(thrown).status !== 400) throw thrown;
    }
    // The refusal has no code of its own: that the voice was to blame shows when it goes well without.
    this.update({ closed: null });
    const answer = await this.#client.connect(usual);
    return { answer, warning: this.#liveOptions.onVoiceRefused?.() ?? null };
  }

  /** The microphone's socket tells of changes; this tells how it is where nobody speaks. */
  async #readVoiceNotice(): Promise<void> {
    const session = this.#client.sessionId;
    const status = await this.#client.chatStatus().catch(() => null);
    if (status?.voice_notice && session !== null && session === this.#client.sessionId)
      this.update({ voiceNotice: status.voice_notice });
  }

  #note(action: MicrophoneEventMap["ACTION"]): void {
    const turns = this.get().turns;
    if (action.name === "set_language") {
      this.#setTurns(conversation.noted(turns, `The call goes on in ${languageName(action.language)}.`));
    } else if (action.name === "skip_turn") {
      this.#setTurns(conversation.noted(turns, "No answer: the persona chose to listen."));
    }
  }

  /** Shown at once: the box acknowledges an interrupt only when the voice has faded. */
  #cutShort(): void {
    this.#setTurns(conversation.interrupted(this.get().turns));
    this.#setCaptions(cleared(this.#captions));
  }

  #setTurns(turns: conversation.Turn[]): void {
    this.update({ turns, thinking: conversation.isThinking(turns) });
  }

  #setCaptions(captions: Captions): void {
    this.#captions = captions;
    this.#showCaption();
  }

  #showCaption(): void {
    clearTimeout(this.#captionTimer);
    const nowMs = performance.now();
    const { text, changesAtMs } = captionAt(this.#captions, nowMs);
    const tone = text === null ? null : (this.#clauseTones.get(text) ?? null);
    this.update({ caption: text, tone });
    if (text === null && this.#captions.correlationId === null) this.#clauseTones.clear();
    if (changesAtMs !== null) {
      this.#captionTimer = setTimeout(() => this.#showCaption(), Math.max(10, changesAtMs - nowMs));
    }
  }
}
