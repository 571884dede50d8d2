// What an erasure takes with it, the name typed as the last word, and the receipt.

import { type FormEvent, useId } from "react";
import type { ErasureArtefact } from "../../contract/library.ts";
import { Banner } from "../ui/banner.tsx";
import { Checklist } from "../ui/checklist.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { artefactWords, type ErasurePhase, type ErasureStore, namesAvatar } from "./erasure-store.ts";
import "./dialogs.css";

type Asking = Extract<ErasurePhase, { step: "asking" | "erasing" }>;
type Receipt = Extract<ErasurePhase, { step: "receipt" | "repeating" }>;

const words = (list: readonly ErasureArtefact[]) => list.map((artefact) => artefactWords[artefact]);

function Question({ phase, store }: { phase: Asking; store: ErasureStore }) {
  const { avatar } = phase;
  const form = useId();
  const busy = phase.step === "erasing";
  const going: ErasureArtefact[] =
    avatar.visibility === "public"
      ? ["registry_record", "public_listing", "archived_media"]
      : ["registry_record", "archived_media"];
  function submit(event: FormEvent) {
    event.preventDefault();
    void store.erase();
  }
  return (
    <form id={form} className="stack" onSubmit={submit}>
      <Checklist title="Gone at once, and for good" items={words(going)} state="going" />
      <div className="stack-tight">
        <Checklist title="Pending for a while" items={words(["prepared_avatar"])} state="pending" />
        <p className="dialog-lead">
          Each box clears its copy when it starts, and every 15 minutes while it runs. A box that is switched
          off clears it the next time it starts.
        </p>
      </div>
      <TextField
        label={
          <>
            Type <strong>{avatar.display_name}</strong> to confirm
          </>
        }
        value={phase.typed}
        disabled={busy}
        autoComplete="off"
        spellCheck={false}
        onChange={store.type}
      />
      {phase.problem && <Banner kind="error">{phase.problem}</Banner>}
      <div className="dialog-actions">
        <button type="button" className="button button-quiet" onClick={store.close}>
          Keep it
        </button>
        <button
          type="submit"
          className="button button-danger"
          disabled={busy || !namesAvatar(phase.typed, avatar)}
        >
          {busy ? <Spinner label="Erasing" visible /> : "Erase for good"}
        </button>
      </div>
    </form>
  );
}

function ReceiptView({ phase, store, onDone }: { phase: Receipt; store: ErasureStore; onDone(): void }) {
  const { receipt } = phase;
  const complete = receipt.status === "complete";
  return (
    <div className="stack">
      <p className="dialog-lead" role="status">
        {complete
          ? "Nothing is left of this avatar."
          : "The avatar is gone from your library. What is listed as pending is cleared by the boxes themselves; you need not wait for it here."}
      </p>
      <Checklist title="Erased" items={words(receipt.erased)} state="gone" />
      <Checklist title="Pending" items={words(receipt.pending)} state="pending" />
      {phase.problem && <Banner kind="error">{phase.problem}</Banner>}
      <div className="dialog-actions">
        {!complete && (
          <button
            type="button"
            className="button button-quiet"
            disabled={phase.step === "repeating"}
            onClick={() => void store.repeat()}
          >
            {phase.step === "repeating" ? <Spinner label="Asking again" visible /> : "Repeat"}
          </button>
        )}
        <button type="button" className="button button-primary" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}

export interface EraseDialogProps {
  store: ErasureStore;
  /** The dialog was left after an erasure. */
  onGone(): void;
}

export function EraseDialog({ store, onGone }: EraseDialogProps) {
  const { phase } = useStore(store);
  function leave() {
    store.close();
    if (phase.step === "receipt" || phase.step === "repeating") onGone();
  }
  switch (phase.step) {
    case "closed":
      return <Dialog open={false} title="" onClose={leave} children={null} />;
    case "asking":
    case "erasing":
      return (
        <Dialog open title={`Erase ${phase.avatar.display_name}?`} onClose={leave}>
          <Question phase={phase} store={store} />
        </Dialog>
      );
    case "receipt":
    case "repeating":
      return (
        <Dialog open title={`${phase.avatar.display_name} is erased`} onClose={leave}>
          <ReceiptView phase={phase} store={store} onDone={leave} />
        </Dialog>
      );
  }
}
