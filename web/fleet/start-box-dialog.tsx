// Asking for one more box.

import { type FormEvent, useState } from "react";
import { asVisavisError } from "../sdk/index.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";

export interface StartBoxDialogProps {
  open: boolean;
  /** Regions that boxes run in already, offered while typing. */
  regions: readonly string[];
  /** Rejects with `VisavisError`. */
  onStart(region: string): Promise<void>;
  onClose(): void;
}

function StartForm({ regions, onStart, onClose }: StartBoxDialogProps) {
  const [region, setRegion] = useState(regions[0] ?? "");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (region.trim() === "") {
      setProblem("Name the region the box is to run in.");
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await onStart(region.trim());
      onClose();
    } catch (thrown) {
      setProblem(asVisavisError(thrown).message);
      setBusy(false);
    }
  }

  return (
    <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label="Region"
        help="As the service that runs your boxes calls it. A new box appears here with its first heartbeat."
        error={problem}
        value={region}
        maxLength={64}
        list="fleet-regions"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        onChange={setRegion}
      />
      <datalist id="fleet-regions">
        {regions.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
      <div className="dialog-actions">
        <button type="button" className="button button-quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? <Spinner label="Starting" visible /> : "Start box"}
        </button>
      </div>
    </form>
  );
}

export function StartBoxDialog(props: StartBoxDialogProps) {
  return (
    <Dialog open={props.open} title="Start a box" size="small" onClose={props.onClose}>
      <StartForm {...props} />
    </Dialog>
  );
}
