// Over the corner of the picture: whether somebody listens.

import type { MicrophonePhase } from "./microphone-store.ts";
import { phaseWords } from "./microphone-words.ts";

export function MicrophoneSign({ phase }: { phase: MicrophonePhase }) {
  const words = phaseWords[phase];
  // Who speaks knows it; a screen reader would only talk over them.
  const announced = phase === "hearing" ? phaseWords.listening : words;
  return (
    <>
      <span className="visually-hidden" role="status">
        {announced ?? ""}
      </span>
      {words && (
        <span
          className={`microphone-sign microphone-sign-${phase}`}
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
