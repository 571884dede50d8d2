import type { VoiceRow } from "../../contract/voices.ts";
import { Badge } from "../ui/badge.tsx";
import { PlayIcon, StopIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { languageName } from "./catalogue-store.ts";

export interface VoiceLineProps {
  voice: VoiceRow;
  playing: "fetching" | "playing" | null;
  /** Another line may not be spoken for a while. */
  held: boolean;
  problem: string | null;
  isDefault: boolean;
  isCurrent: boolean;
  /** The default is being changed. */
  busy: boolean;
  choosing: boolean;
  onPlay(): void;
  onMakeDefault(): void;
  onForgetDefault(): void;
}

export const voiceFacts = ({ language, gender, description }: VoiceRow): string =>
  [languageName(language), gender, description].filter(Boolean).join(" · ");

export interface PlayButtonProps {
  name: string;
  playing: "fetching" | "playing" | null;
  held: boolean;
  onPlay(): void;
}

export function PlayButton({ name, playing, held, onPlay }: PlayButtonProps) {
  return (
    <button
      type="button"
      className="icon-button voice-play"
      aria-label={playing ? `Stop ${name}` : `Hear ${name}`}
      disabled={held && playing === null}
      onClick={onPlay}
    >
      {playing === "fetching" ? (
        <Spinner label={`Fetching ${name}`} />
      ) : playing ? (
        <StopIcon />
      ) : (
        <PlayIcon />
      )}
    </button>
  );
}

export function VoiceLine(props: VoiceLineProps) {
  const { voice, playing, held, problem, isDefault, isCurrent, busy, choosing } = props;
  return (
    <li className={isDefault ? "voice voice-default" : "voice"}>
      <PlayButton name={voice.name} playing={playing} held={held} onPlay={props.onPlay} />
      <div className="voice-main">
        <p className="voice-name">
          {voice.name}
          {isDefault && <Badge tone="accent">Default</Badge>}
          {isCurrent && !isDefault && <Badge tone="good">Speaks now</Badge>}
          {voice.recommended && <Badge>Recommended</Badge>}
        </p>
        <p className="voice-facts">{voiceFacts(voice)}</p>
        {problem && (
          <p className="voice-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      {isDefault ? (
        <button
          type="button"
          className="button button-quiet"
          disabled={busy}
          aria-label={`Forget ${voice.name} as the default`}
          onClick={props.onForgetDefault}
        >
          Forget
        </button>
      ) : (
        <button
          type="button"
          className="button button-quiet"
          disabled={busy}
          aria-label={`Make default: ${voice.name}`}
          onClick={props.onMakeDefault}
        >
          {choosing ? <Spinner label="Saving" /> : "Make default"}
        </button>
      )}
    </li>
  );
}
