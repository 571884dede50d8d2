// The face, and its clip in each tone.

import { type Tone, tones } from "../../contract/tones.ts";
import type { Clip } from "../../contract/clips.ts";
import type { LibraryAvatar } from "../../contract/library.ts";
import { AlertIcon, PlayIcon, RefreshIcon } from "../ui/icons.tsx";
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
  /** Null where no tones can be made. */
  onMake: ((tone: Tone) => void) | null;
}

function ToneLine({ onMake, ...props }: ToneButtonProps) {
  const { tone, clip } = props;
  const makeable = clip?.state === "failed" || clip?.state === "not_requested";
  const again = clip?.state === "failed";
  return (
    <li className="tone-line">
      <ToneButton {...props} />
      {onMake && makeable && (
        <button
          type="button"
          className="icon-button"
          aria-label={again ? `Make ${tone} again` : `Make ${tone}`}
          title={again ? "Make it again" : "Make this tone"}
          onClick={() => onMake(tone)}
        >
          <RefreshIcon />
        </button>
      )}
      {again && clip.detail && <p className="tone-problem">{clip.detail}</p>}
    </li>
  );
}

function ToneButton({ tone, clip, current, onPlay }: Omit<ToneButtonProps, "onMake">) {
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
  refused: { tone: Tone; problem: string } | null;
  /** Null for whoever may not have tones made. */
  onMake: ((tone: Tone) => void) | null;
  onPlay(tone: Tone): void;
  onStop(): void;
  onRetry(): void;
}

export function ToneStage(props: ToneStageProps) {
  const { avatar, picture, clips, playing, refused, onMake, onPlay, onStop, onRetry } = props;
  const canMake = clips.status === "ready" && clips.value.capabilities.can_generate ? onMake : null;
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
          <ul className="tone-buttons">
            {tones.map((tone) => (
              <ToneLine
                key={tone}
                tone={tone}
                clip={list ? (list.find((clip) => clip.tone === tone) ?? notMade) : null}
                current={playing?.tone === tone}
                onPlay={onPlay}
                onMake={canMake}
              />
            ))}
          </ul>
        )}
        {refused && (
          <p className="tone-problem" role="alert">
            {toneName(refused.tone)}: {refused.problem}
          </p>
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
