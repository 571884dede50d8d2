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

export function VoiceLine(props: VoiceLineProps) {
  const { voice, playing, held, problem, isDefault, isCurrent, busy, choosing } = props;
  const facts = [languageName(voice.language), voice.gender, voice.description].filter(Boolean);
  return (
    <li className={isDefault ? "voice voice-default" : "voice"}>
      <button
        type="button"
        className="icon-button voice-play"
        aria-label={playing ? `Stop ${voice.name}` : `Hear ${voice.name}`}
        disabled={held && playing === null}
        onClick={props.onPlay}
      >
        {playing === "fetching" ? (
          <Spinner label={`Fetching ${voice.name}`} />
        ) : playing ? (
          <StopIcon />
        ) : (
          <PlayIcon />
        )}
      </button>
      <div className="voice-main">
        <p className="voice-name">
          {voice.name}
          {isDefault && <Badge tone="accent">Default</Badge>}
          {isCurrent && !isDefault && <Badge tone="good">Speaks now</Badge>}
          {voice.recommended && <Badge>Recommended</Badge>}
        </p>
        <p className="voice-facts">{facts.join(" · ")}</p>
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
