// Microphone, sound, captions and the end, over the foot of the picture.

import type { ReactNode } from "react";
import { CaptionsIcon, EndIcon, SoundOffIcon, SoundOnIcon, VoicesIcon } from "../ui/icons.tsx";

export interface LiveControlsProps {
  /** The microphone's switch. */
  microphone: ReactNode;
  muted: boolean;
  captionsOn: boolean;
  onToggleMuted(): void;
  onToggleCaptions(): void;
  onVoice(): void;
  onEnd(): void;
}

export function LiveControls({
  microphone,
  muted,
  captionsOn,
  onToggleMuted,
  onToggleCaptions,
  onVoice,
  onEnd,
}: LiveControlsProps) {
  return (
    <div className="live-controls" role="group" aria-label="Session">
      {microphone}
      <button
        type="button"
        className="icon-button"
        aria-pressed={muted}
        aria-label="Mute sound"
        title="Mute sound"
        onClick={onToggleMuted}
      >
        {muted ? <SoundOffIcon /> : <SoundOnIcon />}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-pressed={captionsOn}
        aria-label="Captions"
        title="Captions"
        onClick={onToggleCaptions}
      >
        <CaptionsIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-haspopup="dialog"
        aria-label="Voice"
        title="Voice"
        onClick={onVoice}
      >
        <VoicesIcon />
      </button>
      <button type="button" className="button button-end" onClick={onEnd}>
        <EndIcon />
        End
      </button>
    </div>
  );
}
