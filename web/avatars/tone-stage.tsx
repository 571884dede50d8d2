// The face, and its clip in each tone.

import { type Tone, tones } from "../../contract/tones.ts";
import type { Clip } from "../../contract/clips.ts";
import type { LibraryAvatar } from "../../contract/library.ts";
import { AlertIcon, PlayIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import type { ClipList } from "./avatars-api.ts";
import type { Part, Playing } from "./detail-store.ts";
import { Likeness } from "./likeness.tsx";
import { toneName } from "./words.ts";

const stateWords: Record<Clip["state"], string> = {
  generated: "",
  generating: "Being made…",
  failed: "Failed",
  not_requested: "Not made",
};

interface ToneButtonProps {
  tone: Tone;
  /** Null where only a try can tell whether there is a clip. */
  clip: Pick<Clip, "state" | "duration_s" | "detail"> | null;
  current: boolean;
  onPlay(tone: Tone): void;
}

function ToneButton({ tone, clip, current, onPlay }: ToneButtonProps) {
  const playable = clip === null || clip.state === "generated";
  const length = clip?.duration_s ? `${clip.duration_s.toFixed(1)} s` : "";
  return (
    <button
      type="button"
      className="tone-button"
      aria-pressed={current}
      disabled={!playable}
      title={clip?.detail || undefined}
      onClick={() => onPlay(tone)}
    >
      {clip?.state === "generating" ? (
        <Spinner label="Being made" />
      ) : clip?.state === "failed" ? (
        <AlertIcon />
      ) : (
        <PlayIcon />
      )}
      <span>{toneName(tone)}</span>
      <small>{clip ? stateWords[clip.state] || length : ""}</small>
    </button>
  );
}

export interface ToneStageProps {
  avatar: LibraryAvatar;
  picture: string | null;
  clips: Part<ClipList>;
  playing: Playing | null;
  onPlay(tone: Tone): void;
  onStop(): void;
  onRetry(): void;
}

export function ToneStage({ avatar, picture, clips, playing, onPlay, onStop, onRetry }: ToneStageProps) {
  const list = clips.status === "ready" ? clips.value.clips : null;
  const notMade = { state: "not_requested", duration_s: null, detail: "" } as const;
  const name = avatar.display_name;
  return (
    <section className="tone-stage" aria-label="Tones">
      <div className="tone-picture">
        {playing?.url ? (
          <video
            key={playing.url}
            src={playing.url}
            aria-label={`${name}, ${playing.tone}`}
            controls
            autoPlay
            loop
            muted
            playsInline
            onError={onStop}
          />
        ) : (
          <Likeness
            avatar={avatar}
            glimpse={picture ? { picture, loop: null, tones: null } : undefined}
            onLapsed={onRetry}
          />
        )}
        {playing && !playing.url && !playing.problem && <Spinner label="Fetching the clip" />}
      </div>
      <div className="tone-list">
        <h2>Tones</h2>
        {clips.status === "loading" && <Spinner label="Fetching the clips" visible />}
        {clips.status === "error" && (
          <LoadFailed title="The clips cannot be fetched" error={clips.error} onRetry={onRetry} />
        )}
        {(list === null ? clips.status === "hidden" : list.length > 0) && (
          <div className="tone-buttons">
            {tones.map((tone) => (
              <ToneButton
                key={tone}
                tone={tone}
                clip={list ? (list.find((clip) => clip.tone === tone) ?? notMade) : null}
                current={playing?.tone === tone}
                onPlay={onPlay}
              />
            ))}
          </div>
        )}
        {playing?.problem && (
          <p className="tone-problem" role="alert">
            {toneName(playing.tone)}: {playing.problem}
          </p>
        )}
        {list?.length === 0 && (
          <p className="tone-note">
            {avatar.state === "failed"
              ? "No clips were made of this face."
              : "The clips appear here once a box has made them."}
          </p>
        )}
        {clips.status === "ready" && !clips.value.capabilities.can_generate && (
          <p className="tone-note">{clips.value.capabilities.reason}</p>
        )}
      </div>
    </section>
  );
}
