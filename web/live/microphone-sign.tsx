// Over the corner of the picture: whether somebody listens.

import type { MicrophonePhase } from "./microphone-store.ts";
import { phaseWords } from "./microphone-words.ts";

export interface MicrophoneSignProps {
  phase: MicrophonePhase;
  /** What is heard makes no turn until somebody resumes. */
  paused: boolean;
}

export function MicrophoneSign({ phase, paused }: MicrophoneSignProps) {
  const waits = paused && (phase === "listening" || phase === "hearing");
  const words = waits ? "Paused" : phaseWords[phase];
  // Who speaks knows it; a screen reader would only talk over them.
  const announced = !waits && phase === "hearing" ? phaseWords.listening : words;
  return (
    <>
      <span className="visually-hidden" role="status">
        {announced ?? ""}
      </span>
      {words && (
        <span
          className={`microphone-sign microphone-sign-${waits ? "paused" : phase}`}
          aria-hidden="true"
          data-testid="microphone-sign"
        >
          <i />
          {words}
        </span>
      )}
    </>
  );
}
