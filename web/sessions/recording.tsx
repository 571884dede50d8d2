// The recording, while its link lives; a playback that fails asks for a fresh one and goes on where it was.

import { useRef } from "react";
import { Banner } from "../ui/banner.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { SessionDetailStore } from "./detail-store.ts";

export interface RecordingProps {
  store: SessionDetailStore;
  /** The session's row says that there is one. */
  expected: boolean;
}

export function Recording({ store, expected }: RecordingProps) {
  const { status, recording, consent, playbackProblem } = useStore(store);
  const position = useRef(0);
  const playing = useRef(false);
  if (!expected && recording === null && consent === null) return null;
  return (
    <section className="card">
      <h2>Recording</h2>
      {recording && !playbackProblem && (
        <video
          key={recording}
          className="session-video"
          src={recording}
          aria-label="Recording of the session"
          controls
          playsInline
          preload="metadata"
          onLoadedMetadata={({ currentTarget }) => {
            currentTarget.currentTime = position.current;
            // Browsers may refuse to start by themselves; the button is right there.
            if (playing.current) currentTarget.play().catch(() => undefined);
          }}
          onTimeUpdate={({ currentTarget }) => {
            position.current = currentTarget.currentTime;
          }}
          onPlay={() => {
            playing.current = true;
          }}
          onPause={() => {
            playing.current = false;
          }}
          onPlaying={store.playbackWorks}
          onError={() => void store.playbackFailed()}
        />
      )}
      {playbackProblem && (
        <Banner kind="error" action={{ label: "Try again", onAct: () => void store.retryPlayback() }}>
          {playbackProblem}
        </Banner>
      )}
      {status === "loading" && <Spinner label="Fetching the recording" visible />}
      {status === "ready" && recording === null && !playbackProblem && (
        <p className="card-lead">The recording is no longer there.</p>
      )}
      {consent && (
        <p className="card-lead">
          Recorded with consent.{" "}
          <a href={consent} target="_blank" rel="noreferrer">
            See what was agreed to
          </a>
        </p>
      )}
    </section>
  );
}
