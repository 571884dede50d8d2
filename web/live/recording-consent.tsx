// The agreement to be recorded, before a session begins.

import { SwitchField } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { RecordingStore } from "./recording-store.ts";
import "./recording.css";

export function RecordingConsent({ store }: { store: RecordingStore }) {
  const { wanted, terms, fetching, problem } = useStore(store);
  return (
    <div className="recording-consent">
      <SwitchField
        label="Record this session"
        help="Picture, both voices and the words are kept with the session; you can erase them there."
        checked={wanted}
        onChange={(on) => void store.setWanted(on)}
      />
      {fetching && <Spinner label="Fetching the terms" visible />}
      {wanted && terms && !fetching && (
        <details className="recording-terms" open={problem !== null || undefined}>
          <summary>
            By going live you agree to the terms of <span>{terms.version}</span>
          </summary>
          <div className="recording-text" tabIndex={0} role="region" aria-label="Terms of recording">
            {terms.text
              .split(/\n{2,}/)
              .filter((part) => part.trim() !== "")
              .map((part) => (
                <p key={part}>{part}</p>
              ))}
          </div>
        </details>
      )}
      {problem && (
        <p className="recording-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Shown for as long as the session is recorded. */
export function RecordingSign() {
  return (
    <div className="recording-sign" role="status">
      <span aria-hidden="true" />
      Recording
    </div>
  );
}
