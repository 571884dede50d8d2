// Choosing a photograph, naming it, and watching it become a face.

import { type DragEvent, type FormEvent, useEffect, useId, useRef, useState } from "react";
import { AlertIcon, CheckIcon, CloseIcon, PlusIcon } from "../ui/icons.tsx";
import { useStore } from "../ui/store.ts";
import { acceptAttribute, type Refusal } from "./refusals.ts";
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
      <strong>Choose a photograph</strong>
      <span>or drop one here · JPEG or PNG, one face, looking at you</span>
      <input
        type="file"
        accept={acceptAttribute}
        aria-label="Choose a photograph"
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

function Progress({ phase }: { phase: Extract<UploadPhase, { step: "sending" | "preparing" }> }) {
  const sending = phase.step === "sending";
  const percent = sending ? Math.round(phase.fraction * 100) : 100;
  return (
    <div className="upload-progress">
      <ol>
        <li className={sending ? "now" : "past"}>
          {sending ? `Sending · ${percent} %` : "Sent"} {!sending && <CheckIcon />}
        </li>
        <li className={sending ? "next" : "now"}>{sending ? "Prepare" : "Learning the face…"}</li>
      </ol>
      {sending ? (
        <progress max={100} value={percent} aria-label="Sending the photograph" />
      ) : (
        <progress aria-label="Preparing the face" />
      )}
      <p className="visually-hidden" role="status">
        {sending ? "Sending the photograph" : "The photograph was sent; the face is being prepared."}
      </p>
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

  function submit(event: FormEvent) {
    event.preventDefault();
    void store.send();
  }

  const busy = phase.step === "sending" || phase.step === "preparing";
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
      {"photo" in phase && (
        <div className={busy ? "upload-photo upload-photo-busy" : "upload-photo"}>
          <img src={phase.photo} alt="The photograph you chose" />
        </div>
      )}
      {phase.step === "naming" && (
        <form onSubmit={submit}>
          {phase.refusal ? (
            <RefusalNote refusal={phase.refusal} />
          ) : (
            <label className="field">
              <span>Name</span>
              <input
                type="text"
                value={phase.name}
                maxLength={80}
                autoComplete="off"
                onChange={(event) => store.rename(event.target.value)}
              />
            </label>
          )}
          <div className="upload-actions">
            <label className="button button-quiet">
              Another photograph
              <input
                type="file"
                className="visually-hidden"
                accept={acceptAttribute}
                onChange={(event) => {
                  const file = event.target.files?.[0];
                  if (file) store.choose(file);
                }}
              />
            </label>
            <button type="submit" className="button button-primary">
              {phase.refusal ? "Try again" : "Upload"}
            </button>
          </div>
        </form>
      )}
      {busy && <Progress phase={phase} />}
      <p className="upload-rights">Use only a face that is yours, or whose owner agreed to it.</p>
    </dialog>
  );
}
