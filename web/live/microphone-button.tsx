// The microphone's switch, with how loud it hears; beside it the way to switch it off for good.

import { useEffect, useRef } from "react";
import type { Client } from "../sdk/index.ts";
import { CloseIcon, MicrophoneIcon, MicrophoneOffIcon } from "../ui/icons.tsx";
import { muteChord } from "./microphone-chord.ts";
import type { MicrophonePhase, MicrophoneStore } from "./microphone-store.ts";
import { pressWords } from "./microphone-words.ts";
import "./microphone.css";

/** Straight from the audio thread into a style: thirty times a second is no pace for rendering components. */
function useLevel(client: Client) {
  const meter = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      client.microphone.addListener("LEVEL", ({ level }) =>
        meter.current?.style.setProperty("--level", level.toFixed(2)),
      ),
    [client],
  );
  return meter;
}

export interface MicrophoneButtonProps {
  client: Client;
  store: MicrophoneStore;
  phase: MicrophonePhase;
}

export function MicrophoneButton({ client, store, phase }: MicrophoneButtonProps) {
  const meter = useLevel(client);
  const main = useRef<HTMLButtonElement>(null);
  const off = phase === "off" || phase === "refused";
  const busy = phase === "asking" || phase === "connecting";
  const running = !off && !busy;

  function switchOff() {
    store.stop();
    // The pressed button is gone; the keyboard goes on from the one that brings it back.
    main.current?.focus();
  }

  return (
    <div className={`microphone microphone-${phase}`}>
      <button
        ref={main}
        type="button"
        className={running ? "icon-button" : "button button-speak"}
        data-testid="microphone"
        data-phase={phase}
        aria-label={running ? pressWords[phase] : undefined}
        aria-pressed={running ? phase === "muted" : undefined}
        aria-busy={busy}
        aria-keyshortcuts={running ? muteChord : undefined}
        title={running ? `${pressWords[phase]} (${muteChord})` : pressWords[phase]}
        onClick={store.press}
      >
        {running && phase !== "muted" && <span ref={meter} className="microphone-level" aria-hidden="true" />}
        {phase === "muted" ? <MicrophoneOffIcon /> : <MicrophoneIcon />}
        {off && "Speak"}
        {busy && "Cancel"}
      </button>
      {running && (
        <button
          type="button"
          className="icon-button microphone-end"
          aria-label="Switch microphone off"
          title="Switch microphone off"
          onClick={switchOff}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
