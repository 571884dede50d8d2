// Sound, captions and the end, over the corner of the picture.

import { CaptionsIcon, EndIcon, SoundOffIcon, SoundOnIcon } from "../ui/icons.tsx";

export interface LiveControlsProps {
  muted: boolean;
  captionsOn: boolean;
  onToggleMuted(): void;
  onToggleCaptions(): void;
  onEnd(): void;
}

export function LiveControls({
  muted,
  captionsOn,
  onToggleMuted,
  onToggleCaptions,
  onEnd,
}: LiveControlsProps) {
  return (
    <div className="live-controls" role="group" aria-label="Session">
      <button
        type="button"
        className="icon-button"
        aria-pressed={muted}
        aria-label="Mute"
        onClick={onToggleMuted}
      >
        {muted ? <SoundOffIcon /> : <SoundOnIcon />}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-pressed={captionsOn}
        aria-label="Captions"
        onClick={onToggleCaptions}
      >
        <CaptionsIcon />
      </button>
      <button type="button" className="button button-end" onClick={onEnd}>
        <EndIcon />
        End
      </button>
    </div>
  );
}
