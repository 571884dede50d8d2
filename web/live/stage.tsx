// The face itself: a still while off air, the live picture afterwards, and the captions over it.

import { type ReactNode, useEffect, useRef } from "react";
import { baseTone, type Tone } from "../../contract/tones.ts";
import { toneName } from "../avatars/words.ts";
import type { Face } from "../faces/faces.ts";
import type { Client, ConnectionState } from "../sdk/index.ts";
import { ToolIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { MicrophoneSign } from "./microphone-sign.tsx";
import type { MicrophoneState } from "./microphone-store.ts";
import { RecordingSign } from "./recording-consent.tsx";
import { goingOn } from "./microphone-words.ts";
import "./stage.css";

export interface StageProps {
  client: Client;
  face: Face | null;
  still: string | undefined;
  connection: ConnectionState;
  /** The live picture may be shown in place of the still. */
  picture: boolean;
  speaking: boolean;
  thinking: boolean;
  caption: string | null;
  captionsOn: boolean;
  recording: boolean;
  /** How the clause on the screen is said. */
  tone: Tone | null;
  microphone: MicrophoneState;
  onResume(): void;
  /** Shown over the foot of the still while off air. */
  children?: ReactNode;
}

export function Stage({ client, face, still, children, microphone, onResume, ...live }: StageProps) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) client.streamToVideoElement(video.current);
  }, [client]);

  const onAir = live.connection === "connected" || live.connection === "reconnecting";
  // The persona may say that it will wait.
  const waiting = onAir && microphone.paused && !live.speaking;
  const frame = useRef<HTMLDivElement>(null);
  const wasWaiting = useRef(false);
  useEffect(() => {
    // The pressed button is gone; the keyboard goes on from the controls next to it.
    if (wasWaiting.current && !waiting && document.activeElement === document.body)
      frame.current?.querySelector<HTMLElement>(".live-controls button")?.focus();
    wasWaiting.current = waiting;
  }, [waiting]);

  const classes = ["stage-frame"];
  if (live.picture) classes.push("stage-live");
  if (live.speaking) classes.push("stage-speaking");
  const name = face?.name ?? "the face";
  return (
    <section className="stage" aria-label="Stage">
      <div ref={frame} className={classes.join(" ")}>
        {still ? (
          <img className="stage-still" src={still} alt={live.picture ? "" : `Portrait of ${name}`} />
        ) : (
          <div className="stage-still stage-blank" aria-hidden="true" />
        )}
        <video
          ref={video}
          className="stage-video"
          data-testid="live-video"
          aria-label={`Live picture of ${name}`}
          aria-hidden={!live.picture}
          playsInline
          autoPlay
        />
        {live.connection === "connecting" && (
          <div className="stage-veil">
            <Spinner label={`Waking ${name}…`} visible />
          </div>
        )}
        {live.connection === "reconnecting" && (
          <div className="stage-veil">
            <Spinner label="Reconnecting…" visible />
          </div>
        )}
        {waiting && (
          <div className="stage-veil stage-paused" role="group" aria-label="Paused">
            <p role="status">{name} is waiting for you.</p>
            <button type="button" className="button button-primary" onClick={onResume}>
              Resume
            </button>
          </div>
        )}
        {onAir && microphone.tool && (
          <div className="stage-tool" role="status" data-testid="tool">
            <ToolIcon />
            {goingOn(microphone.tool)}
          </div>
        )}
        {onAir && live.speaking && live.tone && live.tone !== baseTone && !microphone.tool && (
          <div className="stage-tone" data-testid="tone" aria-hidden="true">
            {toneName(live.tone)}
          </div>
        )}
        {onAir && live.thinking && !live.speaking && !microphone.tool && (
          <div className="stage-thinking" role="status" aria-label={`${name} is thinking`}>
            <span />
            <span />
            <span />
          </div>
        )}
        {onAir && live.recording && <RecordingSign />}
        {onAir && <MicrophoneSign phase={microphone.phase} paused={microphone.paused} />}
        <div className="stage-captions" hidden={!live.captionsOn || waiting} lang={microphone.language ?? ""}>
          {/* Not announced: whoever says the words knows them. */}
          <div className="stage-caption stage-heard" data-testid="heard">
            {onAir && microphone.heard && <span>{microphone.heard.text}</span>}
          </div>
          <div
            role="status"
            className="stage-caption"
            aria-live={live.captionsOn ? "polite" : "off"}
            aria-label="Captions"
            data-testid="caption"
          >
            {live.caption && <span key={live.caption}>{live.caption}</span>}
          </div>
        </div>
        {children && <div className="stage-foot">{children}</div>}
      </div>
    </section>
  );
}
