import { Banner } from "../ui/banner.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckIcon, ClockIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { SessionDetailStore } from "./detail-store.ts";
import type { SessionErasure } from "./sessions-api.ts";
import { artefactWords } from "./words.ts";

function Artefacts({ list, pending }: { list: SessionErasure["done"]; pending: boolean }) {
  if (list.length === 0) return null;
  return (
    <section className="session-artefacts">
      <h3>{pending ? "Pending" : "Erased"}</h3>
      <ul className={pending ? "session-artefacts-pending" : undefined}>
        {list.map((artefact) => (
          <li key={artefact}>
            {pending ? <ClockIcon /> : <CheckIcon />}
            {artefactWords[artefact]}
          </li>
        ))}
      </ul>
    </section>
  );
}

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
        <Artefacts list={done} pending={false} />
        <Artefacts list={pending} pending />
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
