// The last step from a picture to a face: a name, the attestation, and the way to a box.

import type { FormEvent } from "react";
import { useRouter } from "../shell/routing.tsx";
import { Banner } from "../ui/banner.tsx";
import { CheckField } from "../ui/check-field.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { UseStore } from "./use-store.ts";

export function UseDialog({ store }: { store: UseStore }) {
  const { phase } = useStore(store);
  const router = useRouter();
  // Closed by itself rather than taken away, so that the focus returns to where it was.
  if (phase.step === "closed") return <Dialog open={false} title="" onClose={store.close} children={null} />;
  const { picture } = phase;
  const busy = phase.step === "sending";
  function submit(event: FormEvent) {
    event.preventDefault();
    void store.send();
  }
  function leave(path: string) {
    store.close();
    router.navigate(path);
  }
  return (
    <Dialog
      open
      size="small"
      title={phase.step === "accepted" ? `${phase.name} is on its way` : "Use as a face"}
      onClose={store.close}
    >
      <div className="use-picture">
        <img src={picture.url} alt="The picture to be used" />
      </div>
      {phase.step === "accepted" ? (
        <>
          <p className="use-lead" role="status">
            A box has taken the picture and prepares the face; this takes a few seconds.
          </p>
          <div className="dialog-actions">
            <button type="button" className="button button-quiet" onClick={store.close}>
              Stay here
            </button>
            <button
              type="button"
              className="button button-primary"
              onClick={() => leave(`/avatars/${encodeURIComponent(phase.id)}`)}
            >
              See the avatar
            </button>
          </div>
        </>
      ) : (
        <form className="stack" onSubmit={submit}>
          <TextField
            label="Name"
            value={phase.name}
            maxLength={80}
            autoComplete="off"
            disabled={busy}
            onChange={store.rename}
          />
          <CheckField
            label={
              picture.sha256 === null
                ? "This likeness is mine, or its owner agreed to its use."
                : "This portrait shows nobody who exists, as far as I know, and I may use it."
            }
            help="Recorded with the digest of exactly this picture."
            checked={phase.step === "asking" ? phase.attested : true}
            disabled={busy}
            onChange={store.setAttested}
          />
          {phase.step === "asking" && phase.problem && <Banner kind="error">{phase.problem}</Banner>}
          <div className="dialog-actions">
            <button type="button" className="button button-quiet" onClick={store.close}>
              Cancel
            </button>
            <button
              type="submit"
              className="button button-primary"
              disabled={busy || (phase.step === "asking" && !phase.attested)}
            >
              {busy ? (
                <Spinner label={`Sending · ${Math.round(phase.fraction * 100)} %`} visible />
              ) : (
                "Create the avatar"
              )}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
