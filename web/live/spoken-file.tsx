// A session that begins by speaking a sound file.

import { PlayIcon } from "../ui/icons.tsx";
import { useStore } from "../ui/store.ts";
import type { SpokenFileStore } from "./spoken-file-store.ts";
import "./spoken-file.css";

export interface SpokenFileProps {
  store: SpokenFileStore;
  /** Who is to speak it. */
  name: string;
  disabled: boolean;
  onFile(file: File): void;
}

export function SpokenFile({ store, name, disabled, onFile }: SpokenFileProps) {
  const { sending, problem } = useStore(store);
  const percent = Math.round((sending?.fraction ?? 0) * 100);
  return (
    <div className={sending || problem ? "spoken-file spoken-file-wide" : "spoken-file"}>
      {sending ? (
        <div className="spoken-file-row">
          <p>
            <span>{sending.name}</span>
            <progress aria-label={`Sending ${sending.name}`} max={100} value={percent} />
          </p>
          <button type="button" className="button button-quiet" onClick={store.cancel}>
            Cancel
          </button>
        </div>
      ) : (
        <label className={disabled ? "spoken-file-row spoken-file-off" : "spoken-file-row"}>
          <PlayIcon />
          <span>
            <small>Sound</small>
            Speak a file
          </span>
          <input
            type="file"
            accept="audio/*"
            aria-label="Speak a file"
            title={`${name} goes live and speaks a recording of yours`}
            disabled={disabled}
            onChange={(event) => {
              const file = event.target.files?.[0];
              // The same file chosen again has to count as a change.
              event.target.value = "";
              if (file) onFile(file);
            }}
          />
        </label>
      )}
      {problem && (
        <p className="spoken-file-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
