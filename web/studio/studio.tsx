// The studio of a signed-in person: picks a face, goes live, converses.

import { useEffect, useMemo, useRef, useState } from "react";
import { Picker } from "../faces/picker.tsx";
import { UploadDialog } from "../faces/upload-dialog.tsx";
import { Composer } from "../live/composer.tsx";
import { RecordingConsent } from "../live/recording-consent.tsx";
import { LiveControls } from "../live/live-controls.tsx";
import { MicrophoneButton } from "../live/microphone-button.tsx";
import { isMuteChord } from "../live/microphone-chord.ts";
import { refusalTitle } from "../live/microphone-words.ts";
import { Readouts } from "../live/readouts.tsx";
import { SpokenFile } from "../live/spoken-file.tsx";
import { Stage } from "../live/stage.tsx";
import { Transcript } from "../live/transcript.tsx";
import { useHeadingFocus } from "../shell/routing.tsx";
import { Banner } from "../ui/banner.tsx";
import { useStore } from "../ui/store.ts";
import { VoiceDialog } from "../voices/choice-dialog.tsx";
import { VoiceButton } from "../voices/voice-button.tsx";
import { useAmbience } from "./ambience.ts";
import { closingWords } from "./closing-words.ts";
import type { StudioParts } from "./open-studio.ts";
import "./studio.css";

export interface StudioProps {
  parts: StudioParts;
  /** The studio is the page in view; it goes on living while it is not. */
  active: boolean;
}

export function Studio({ parts, active }: StudioProps) {
  const { client, faces, live, microphone, recording, spokenFile, upload, voice: voices } = parts;
  const faceState = useStore(faces);
  const state = useStore(live);
  const voice = useStore(microphone);
  const agreement = useStore(recording);
  const [voicesOpen, setVoicesOpen] = useState(false);

  // Also when it is shown again: faces may have been added or erased on other pages meanwhile.
  useEffect(() => {
    if (active) void faces.refresh();
  }, [active, faces]);

  useEffect(() => {
    void client.prepare();
    const unsubscribe = faces.subscribe(() => upload.follow(faces.get().faces));
    const leave = () => live.end();
    addEventListener("pagehide", leave);
    return () => {
      unsubscribe();
      removeEventListener("pagehide", leave);
    };
  }, [client, faces, live, upload]);

  const { interrupt } = live;
  const { toggleMuted } = microphone;
  const interruptible = state.speaking || state.thinking;
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape") interrupt();
      if (isMuteChord(event)) {
        // On some keyboards the chord is a letter as well, which is not to land in the message.
        event.preventDefault();
        if (!event.repeat) toggleMuted();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [active, interrupt, toggleMuted]);

  const face = useMemo(
    () => faceState.faces.find((candidate) => candidate.id === faceState.selected) ?? null,
    [faceState.faces, faceState.selected],
  );
  const still = face ? faceState.stills[face.id] : undefined;
  const ambience = useAmbience(still);
  const onAir = state.connection !== "idle" && state.connection !== "closed";
  const name = face?.name ?? "the face";

  // The button that ended the session is gone with it; the keyboard goes on from the one that starts the next.
  const goLiveButton = useRef<HTMLButtonElement>(null);
  const wasOnAir = useRef(false);
  useEffect(() => {
    if (wasOnAir.current && !onAir && active) goLiveButton.current?.focus();
    wasOnAir.current = onAir;
  }, [onAir, active]);

  const heading = useRef<HTMLHeadingElement>(null);
  useHeadingFocus(heading, active);

  function goLive() {
    spokenFile.cancel();
    const agreed = recording.agreement();
    if (face && agreed) void live.goLive(face.id, { ...voices.wish(), ...agreed });
  }

  async function speakFile(file: File) {
    const audio = await spokenFile.send(file);
    const agreed = recording.agreement();
    if (audio !== null && face && agreed) void live.goLive(face.id, { ...voices.wish(), ...agreed, audio });
  }

  return (
    <div className={onAir ? "studio studio-on-air" : "studio"} style={ambience}>
      <div className="studio-body">
        {onAir && (
          <h1 ref={heading} tabIndex={-1} className="visually-hidden">
            Live with {name}
          </h1>
        )}
        <div className="studio-stage">
          <Stage
            client={client}
            face={face}
            still={still}
            connection={state.connection}
            picture={state.picture}
            speaking={state.speaking}
            thinking={state.thinking}
            caption={state.caption}
            captionsOn={state.captionsOn}
            recording={state.recording}
            tone={state.tone}
            microphone={voice}
            onResume={microphone.resume}
          >
            {onAir ? (
              <LiveControls
                microphone={<MicrophoneButton client={client} store={microphone} phase={voice.phase} />}
                muted={state.muted}
                captionsOn={state.captionsOn}
                onToggleMuted={live.toggleMuted}
                onToggleCaptions={live.toggleCaptions}
                onVoice={() => setVoicesOpen(true)}
                onEnd={live.end}
              />
            ) : (
              <div className="curtain">
                <h1 ref={heading} tabIndex={-1}>
                  {face?.name ?? (faceState.status === "ready" ? "Add a face to begin" : "One moment")}
                </h1>
                {face && (
                  <button
                    ref={goLiveButton}
                    type="button"
                    className="button button-primary button-large"
                    disabled={agreement.fetching}
                    onClick={goLive}
                  >
                    Go live
                  </button>
                )}
              </div>
            )}
          </Stage>
          {onAir && (
            <Readouts
              stats={state.stats}
              firstFrameMs={state.firstFrameMs}
              turn={state.turn}
              spokenMs={state.spokenMs}
            />
          )}
        </div>
        <aside className="panel" aria-label={onAir ? "Conversation" : "Faces"}>
          {state.closed && (
            <Banner
              kind={state.closed.reason === "persona" ? "notice" : "error"}
              title={closingWords(state.closed.reason, state.firstFrameMs !== null)}
              action={face ? { label: "Go live again", onAct: goLive } : undefined}
              onDismiss={live.dismissClosed}
            >
              {state.closed.message}
            </Banner>
          )}
          {state.warning && (
            <Banner kind="notice" onDismiss={live.dismissWarning}>
              {state.warning}
            </Banner>
          )}
          {state.voiceNotice && <Banner kind="notice">{state.voiceNotice}</Banner>}
          {onAir && voice.problem && (
            <Banner
              kind={voice.phase === "refused" ? "error" : "notice"}
              title={voice.phase === "refused" ? refusalTitle(voice.problem.code) : undefined}
              action={voice.phase === "refused" ? { label: "Try again", onAct: microphone.start } : undefined}
              onDismiss={microphone.dismissProblem}
            >
              {voice.problem.message}
            </Banner>
          )}
          {faceState.status === "error" && (
            <Banner
              kind="error"
              title="The faces cannot be fetched"
              action={{ label: "Try again", onAct: () => void faces.refresh() }}
            >
              {faceState.error?.message}
            </Banner>
          )}
          {onAir ? (
            <>
              <Transcript turns={state.turns} name={name} thinking={state.thinking} />
              <Composer
                name={name}
                tones={state.tones}
                interruptible={interruptible}
                onSay={live.say}
                onInterrupt={live.interrupt}
              />
            </>
          ) : (
            <>
              <Picker state={faceState} onSelect={faces.select} onAdd={upload.open} />
              <div className="studio-options">
                <div className="studio-sounds">
                  <VoiceButton choice={voices.choice} onOpen={() => setVoicesOpen(true)} />
                  <SpokenFile
                    store={spokenFile}
                    name={name}
                    disabled={!face || agreement.fetching}
                    onFile={(file) => void speakFile(file)}
                  />
                </div>
                <RecordingConsent store={recording} />
              </div>
            </>
          )}
        </aside>
      </div>
      <UploadDialog store={upload} />
      <VoiceDialog
        open={voicesOpen}
        catalogue={voices.catalogue}
        player={voices.player}
        choice={voices.choice}
        onClose={() => setVoicesOpen(false)}
      />
    </div>
  );
}
