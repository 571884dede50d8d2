// What has become of the tones of a face.

import type { Clip } from "../../contract/clips.ts";
import type { Tone } from "../../contract/tones.ts";
import { toneName } from "../avatars/words.ts";
import { AlertIcon, CheckIcon, RefreshIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import "./clip-states.css";

export interface ClipStatesProps {
  clips: readonly Clip[];
  onRetry(tone: Tone): void;
}

const words: Record<Clip["state"], string> = {
  generated: "ready",
  generating: "being made",
  failed: "failed",
  not_requested: "not asked for",
};

export function ClipStates({ clips, onRetry }: ClipStatesProps) {
  return (
    <ul className="clip-states" aria-label="Tones">
      {clips.map(({ tone, state, detail }) => (
        <li key={tone} className={`clip-state clip-state-${state}`}>
          {state === "generating" ? (
            <Spinner label={words[state]} />
          ) : state === "failed" ? (
            <AlertIcon />
          ) : (
            <CheckIcon />
          )}
          <span>
            {toneName(tone)}
            <span className="visually-hidden">, {words[state]}</span>
          </span>
          {state === "failed" && (
            <>
              <button
                type="button"
                className="icon-button icon-button-small"
                aria-label={`Make ${tone} again`}
                title="Make it again"
                onClick={() => onRetry(tone)}
              >
                <RefreshIcon />
              </button>
              {detail && <p className="clip-detail">{detail}</p>}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
