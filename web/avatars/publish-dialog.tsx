// The terms as they are, the person's agreement to them, and only then the button.

import { Banner } from "../ui/banner.tsx";
import { CheckField } from "../ui/check-field.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { PublishingStore } from "./publishing-store.ts";
import "./dialogs.css";

export function PublishDialog({ store }: { store: PublishingStore }) {
  const { phase } = useStore(store);
  // Closed by itself rather than taken away, so that the focus returns to where it was.
  if (phase.step === "closed") return <Dialog open={false} title="" onClose={store.close} children={null} />;
  const name = phase.avatar.display_name;
  const ready = phase.step === "reading" || phase.step === "publishing";
  return (
    <Dialog
      open
      size="large"
      title={`Publish ${name}`}
      onClose={store.close}
      actions={
        ready && (
          <>
            <button type="button" className="button button-quiet" onClick={store.close}>
              Cancel
            </button>
            <button
              type="button"
              className="button button-primary"
              disabled={!phase.agreed || phase.step === "publishing"}
              onClick={() => void store.publish()}
            >
              {phase.step === "publishing" ? <Spinner label="Publishing" visible /> : "Agree and publish"}
            </button>
          </>
        )
      }
    >
      {phase.step === "fetching" && <Spinner label="Fetching the terms" visible />}
      {phase.step === "unreadable" && (
        <Banner
          kind="error"
          title="The terms cannot be read"
          action={{ label: "Try again", onAct: () => void store.open(phase.avatar) }}
        >
          {phase.problem}
        </Banner>
      )}
      {ready && (
        <>
          <p className="dialog-lead">
            Everyone who signs in here will see this face and may hold sessions with it. You can take it back
            at any time.
          </p>
          {phase.renewed && (
            <Banner kind="notice" title="The terms have changed">
              This is the new wording; please read it before you agree.
            </Banner>
          )}
          <div className="terms" role="region" aria-label="Terms of publication" tabIndex={0}>
            {phase.terms.text.split(/\n{2,}/).map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
          <p className="terms-mark">
            Version {phase.terms.version} ·{" "}
            <span title={phase.terms.sha256}>SHA-256 {phase.terms.sha256.slice(0, 16)}…</span>
          </p>
          <CheckField
            label={`I have read these terms and agree to them for ${name}.`}
            checked={phase.agreed}
            disabled={phase.step === "publishing"}
            onChange={store.setAgreed}
          />
          {phase.problem && <Banner kind="error">{phase.problem}</Banner>}
        </>
      )}
    </Dialog>
  );
}
