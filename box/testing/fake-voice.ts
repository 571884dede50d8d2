import type { Language } from "../../contract/tones.ts";
import {
  VoiceError,
  type EngineState,
  type Pcm,
  type SpeechRequest,
  type VoiceProvider,
} from "../voices/voice.ts";

/** Ten milliseconds a character, and whatever trouble a test asks for. */
export class FakeVoice implements VoiceProvider {
  readonly id = "local";
  readonly label = "Fake";
  readonly spoken: { text: string; voice: string; tone: string }[] = [];
  available = true;
  /** A clause that contains this fails. */
  stumblesOver: string | null = null;
  /** Speech of a clause waits for this before it is made; heeds no signal, as bad engines do. */
  pause: (text: string) => Promise<void> = () => Promise.resolve();

  state(): EngineState {
    return this.available
      ? { state: "ready", detail: "" }
      : { state: "unavailable", detail: "It is not installed." };
  }

  has(voice: string): boolean {
    return voice.startsWith("en-us");
  }

  defaultVoice(avatar: string | null, language: Language = "en"): string {
    return this.inLanguage(avatar === "theo" ? "en-us+m3" : "en-us+f3", language);
  }

  inLanguage(voice: string, language: Language): string {
    return language === "en" ? voice : voice.replace("en-us", language);
  }

  async *synthesize({ text, voice, tone, signal }: SpeechRequest): AsyncGenerator<Pcm> {
    await this.pause(text);
    if (this.stumblesOver !== null && text.includes(this.stumblesOver))
      throw new VoiceError("The voice broke.");
    if (signal.aborted) return;
    this.spoken.push({ text, voice, tone });
    yield { samples: new Int16Array(text.length * 80), sampleRate: 8000 };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
