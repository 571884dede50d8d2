// Choosing a photograph or a video, saying what is wanted of it, and watching it become a face.

import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import { stepWords } from "../avatars/words.ts";
import { AlertIcon, CheckIcon, CloseIcon, PlusIcon } from "../ui/icons.tsx";
import { useStore } from "../ui/store.ts";
import { ClipStates } from "./clip-states.tsx";
import { makesTones } from "./faces.ts";
import { acceptAttribute, type Refusal } from "./refusals.ts";
import { UploadForm } from "./upload-form.tsx";
import type { UploadPhase, UploadStore } from "./upload-store.ts";
import "./upload-dialog.css";

function RefusalNote({ refusal }: { refusal: Refusal }) {
  return (
    <div className="refusal" role="alert">
      <AlertIcon />
      <p>
        <strong>{refusal.title}</strong>
        {refusal.detail}
      </p>
    </div>
  );
}

function DropZone({ onFile }: { onFile(file: File): void }) {
  const [over, setOver] = useState(false);
  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onFile(file);
  }
  return (
    <label
      className={over ? "drop-zone drop-zone-over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <PlusIcon />
      <strong>Choose a photograph or a video</strong>
      <span>or drop one here · one face, looking at you · JPEG, PNG, MP4, MOV or WEBM</span>
      <input
        type="file"
        accept={acceptAttribute}
        aria-label="Choose a photograph or a video"
        onChange={(event) => {
          const file = event.target.files?.[0];
          // The same file chosen again after a refusal has to count as a change.
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </label>
  );
}

type Busy = Extract<UploadPhase, { step: "agreeing" | "sending" | "preparing" }>;

function learning(phase: Busy): string {
  const build = phase.step === "preparing" ? phase.build : null;
  return build === null || build === "done" ? "Learning the face…" : capitalised(`${stepWords[build]}…`);
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Progress({ phase }: { phase: Busy }) {
  const what = phase.kind === "photo" ? "photograph" : "video";
  const left = phase.step !== "preparing";
  const percent = phase.step === "sending" ? Math.round(phase.fraction * 100) : null;
  const sending = percent === null ? "Recording your agreement…" : `Sending · ${percent} %`;
  return (
    <div className="upload-progress">
      <ol>
        <li className={left ? "now" : "past"}>
          {left ? sending : "Sent"} {!left && <CheckIcon />}
        </li>
        <li className={left ? "next" : "now"}>{left ? "Prepare" : learning(phase)}</li>
      </ol>
      {percent === null ? (
        <progress aria-label={left ? "Recording your agreement" : "Preparing the face"} />
      ) : (
        <progress max={100} value={percent} aria-label={`Sending the ${what}`} />
      )}
      <p className="visually-hidden" role="status">
        {left ? `Sending the ${what}` : `The ${what} was sent; the face is being prepared.`}
      </p>
    </div>
  );
}

function Made({ phase, store }: { phase: Extract<UploadPhase, { step: "made" }>; store: UploadStore }) {
  const making = makesTones(phase.clips);
  return (
    <div className="upload-made">
      <p role="status">
        <strong>{phase.name} is ready.</strong>{" "}
        {making ? "Its tones are still being made; that goes on without this window." : ""}
      </p>
      {phase.note && <p className="upload-help">{phase.note}</p>}
      {phase.clips.length > 0 && (
        <ClipStates clips={phase.clips} onRetry={(tone) => void store.retryTone(tone)} />
      )}
      <div className="upload-actions">
        <span />
        <button type="button" className="button button-primary" onClick={store.close}>
          Done
        </button>
      </div>
    </div>
  );
}

export function UploadDialog({ store }: { store: UploadStore }) {
  const { phase } = useStore(store);
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const open = phase.step !== "closed";

  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (open && !element.open) element.showModal();
    if (!open && element.open) element.close();
  }, [open]);

  const busy = phase.step === "agreeing" || phase.step === "sending" || phase.step === "preparing";
  return (
    <dialog
      ref={dialog}
      className="upload"
      aria-labelledby={title}
      onClose={store.close}
      onCancel={store.close}
    >
      <header>
        <h2 id={title}>Add a face</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={store.close}>
          <CloseIcon />
        </button>
      </header>
      {phase.step === "choosing" && (
        <>
          <DropZone onFile={store.choose} />
          {phase.refusal && <RefusalNote refusal={phase.refusal} />}
        </>
      )}
      {"source" in phase && (
        <div className={busy ? "upload-photo upload-photo-busy" : "upload-photo"}>
          {phase.kind === "photo" ? (
            <img src={phase.source} alt="The photograph you chose" />
          ) : (
            <video
              src={phase.source}
              aria-label="The video you chose"
              autoPlay
              loop
              muted
              playsInline
              controls={!busy}
            />
          )}
        </div>
      )}
      {phase.step === "naming" && (
        <UploadForm phase={phase} store={store} note={(refusal) => <RefusalNote refusal={refusal} />} />
      )}
      {busy && <Progress phase={phase} />}
      {phase.step === "made" && <Made phase={phase} store={store} />}
    </dialog>
  );
}
