import { Banner } from "../ui/banner.tsx";
import { Checklist } from "../ui/checklist.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { SessionDetailStore } from "./detail-store.ts";
import type { SessionErasure } from "./sessions-api.ts";
import { artefactWords } from "./words.ts";

const words = (list: SessionErasure["done"]) => list.map((artefact) => artefactWords[artefact]);

export interface EraseDialogProps {
  store: SessionDetailStore;
  onLeave(): void;
}

export function EraseDialog({ store, onLeave }: EraseDialogProps) {
  const { erasing } = useStore(store);
  if (erasing.step === "erased") {
    const { done, pending } = erasing.answer;
    return (
      <Dialog
        open
        size="small"
        title="The session is erased"
        onClose={onLeave}
        actions={
          <>
            {pending.length > 0 && (
              <button type="button" className="button button-quiet" onClick={() => void store.erase()}>
                Repeat
              </button>
            )}
            <button type="button" className="button button-primary" onClick={onLeave}>
              Done
            </button>
          </>
        }
      >
        <p className="card-lead" role="status">
          {pending.length === 0
            ? "Nothing of it is left."
            : "What is pending is cleared in the background; nobody can open it any more."}
        </p>
        <Checklist title="Erased" items={words(done)} state="gone" />
        <Checklist title="Pending" items={words(pending)} state="pending" />
      </Dialog>
    );
  }
  const busy = erasing.step === "erasing";
  return (
    <Dialog
      open={erasing.step !== "closed"}
      size="small"
      title="Erase this session?"
      onClose={onLeave}
      actions={
        <>
          <button type="button" className="button button-quiet" onClick={onLeave}>
            Keep it
          </button>
          <button
            type="button"
            className="button button-danger"
            disabled={busy}
            onClick={() => void store.erase()}
          >
            {busy ? <Spinner label="Erasing" visible /> : "Erase for good"}
          </button>
        </>
      }
    >
      <p className="card-lead">
        The transcript, the recording and the consent to it, your notes and the entry in the list go for good.
        Nothing is kept.
      </p>
      {erasing.step !== "closed" && erasing.problem && <Banner kind="error">{erasing.problem}</Banner>}
    </Dialog>
  );
}
