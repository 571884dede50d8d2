// One question before something happens that cannot be taken back, or not easily.

import { type FormEvent, type ReactNode, useId, useState } from "react";
import { asVisavisError } from "../sdk/index.ts";
import { Banner } from "./banner.tsx";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./fields.tsx";
import { Spinner } from "./spinner.tsx";

export interface ConfirmDialogProps {
  open: boolean;
  title: string;
  /** What will happen, plainly. */
  children: ReactNode;
  confirmLabel: string;
  /** "Cancel" unless something says better what not doing it means. */
  cancelLabel?: string;
  /** Shown while the work is under way, such as "Erasing". */
  busyLabel?: string;
  danger?: boolean;
  /** The word that has to be typed first; for acts that nothing undoes. */
  typeToConfirm?: string;
  /** The dialog closes when this resolves, and shows the error's sentence when it rejects. */
  onConfirm(): void | Promise<void>;
  onClose(): void;
}

function Question({
  children,
  confirmLabel,
  cancelLabel = "Cancel",
  busyLabel = "One moment",
  danger = false,
  typeToConfirm,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useId();
  const locked = typeToConfirm !== undefined && typed.trim() !== typeToConfirm.trim();

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || locked) return;
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setProblem(asVisavisError(thrown).message);
      setBusy(false);
    }
  }

  return (
    <form id={form} className="stack" onSubmit={(event) => void submit(event)}>
      <div className="prose">{children}</div>
      {typeToConfirm !== undefined && (
        <TextField
          label={
            <>
              Type <strong>{typeToConfirm}</strong> to confirm
            </>
          }
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={setTyped}
        />
      )}
      {problem && <Banner kind="error">{problem}</Banner>}
      <div className="dialog-actions">
        <button type="button" className="button button-quiet" onClick={onClose}>
          {cancelLabel}
        </button>
        <button
          type="submit"
          className={danger ? "button button-danger" : "button button-primary"}
          disabled={busy || locked}
        >
          {busy ? <Spinner label={busyLabel} visible /> : confirmLabel}
        </button>
      </div>
    </form>
  );
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog open={props.open} title={props.title} size="small" onClose={props.onClose}>
      <Question {...props} />
    </Dialog>
  );
}
