// Making a key: its name is asked for, then its secret is shown, this once.

import { type FormEvent, useState } from "react";
import { limits } from "../../contract/limits.ts";
import { asVisavisError } from "../sdk/index.ts";
import { Banner } from "../ui/banner.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";

export interface CreateKeyDialogProps {
  open: boolean;
  /** Resolves with the secret; rejects with `VisavisError`. */
  onCreate(name: string): Promise<string>;
  onClose(): void;
}

function Naming({ onName, onClose }: { onName(name: string): Promise<void>; onClose(): void }) {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === "") {
      setProblem("Give the key a name, so that you know later what it is for.");
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await onName(name.trim());
    } catch (thrown) {
      setProblem(asVisavisError(thrown).message);
      setBusy(false);
    }
  }

  return (
    <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label="Name"
        help="Say where it will be used, for instance “Website” or “Night build”."
        error={problem}
        value={name}
        maxLength={limits.keyNameChars}
        autoComplete="off"
        autoFocus
        onChange={setName}
      />
      <div className="dialog-actions">
        <button type="button" className="button button-quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? <Spinner label="Creating" visible /> : "Create key"}
        </button>
      </div>
    </form>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <div className="stack">
      <Banner kind="notice" title="Copy it now">
        This is the only time the key is shown. Keep it where you keep passwords; whoever has it can do
        everything your account can do over the API.
      </Banner>
      <div className="secret">
        <code data-testid="key-secret">{secret}</code>
        <CopyButton text={secret} what="key" autoFocus />
      </div>
      <div className="dialog-actions">
        <button type="button" className="button button-primary" onClick={onClose}>
          I have saved it
        </button>
      </div>
    </div>
  );
}

export function CreateKeyDialog({ open, onCreate, onClose }: CreateKeyDialogProps) {
  // The secret lives in this component's state while it is on the screen, and nowhere afterwards.
  const [secret, setSecret] = useState<string | null>(null);
  function close() {
    setSecret(null);
    onClose();
  }
  return (
    <Dialog
      open={open}
      title={secret === null ? "Create a key" : "Your new key"}
      insistent={secret !== null}
      onClose={close}
    >
      {secret === null ? (
        <Naming onName={async (name) => setSecret(await onCreate(name))} onClose={close} />
      ) : (
        <Secret secret={secret} onClose={close} />
      )}
    </Dialog>
  );
}
