// One provider's key: masked once saved, typed into a field that forgets it.

import { type FormEvent, useRef, useState } from "react";
import type { ByoEngine, VoiceSettings } from "../../contract/voices.ts";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Field } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";
import type { KeyForm } from "./vault-store.ts";
import { providerNames } from "./words.ts";

type SavedKey = VoiceSettings["keys"][number];

function Validity({ saved, name }: { saved: SavedKey; name: string }) {
  if (saved.validated === true) return <Badge tone="good">Verified</Badge>;
  if (saved.validated === false) return <Badge tone="bad">Rejected by {name}</Badge>;
  return <Badge tone="wait">Not checked yet</Badge>;
}

interface KeyEntryProps {
  name: string;
  replacing: boolean;
  form: KeyForm;
  onSave(key: string): Promise<boolean>;
  /** Null where there is nothing to go back to. */
  onCancel: (() => void) | null;
  onSaved(): void;
}

/** The field is read when it is sent and emptied when it was kept; what is typed is never state. */
function KeyEntry({ name, replacing, form, onSave, onCancel, onSaved }: KeyEntryProps) {
  const input = useRef<HTMLInputElement>(null);
  const busy = form.step === "saving";
  async function submit(event: FormEvent) {
    event.preventDefault();
    const element = input.current;
    if (!element || busy) return;
    const kept = await onSave(element.value);
    if (!kept) return;
    element.value = "";
    onSaved();
  }
  return (
    <form className="key-entry" autoComplete="off" onSubmit={(event) => void submit(event)}>
      <Field
        label={replacing ? `New ${name} key` : `${name} key`}
        error={form.problem}
        help="Checked with the provider, then sealed. It is never shown again."
      >
        {(wiring) => (
          <input
            {...wiring}
            ref={input}
            type="password"
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            disabled={busy}
            data-1p-ignore=""
            data-lpignore="true"
          />
        )}
      </Field>
      <div className="key-actions">
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? <Spinner label="Checking the key" visible /> : "Save key"}
        </button>
        {onCancel && (
          <button type="button" className="button button-quiet" disabled={busy} onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

export interface KeyLineProps {
  provider: ByoEngine;
  saved: SavedKey | null;
  form: KeyForm;
  /** The engine of this key is the one that speaks. */
  inUse: boolean;
  onSave(key: string): Promise<boolean>;
  onRemove(): Promise<boolean>;
}

export function KeyLine({ provider, saved, form, inUse, onSave, onRemove }: KeyLineProps) {
  const [entering, setEntering] = useState(false);
  const [asking, setAsking] = useState(false);
  const name = providerNames[provider];
  if (!saved && !entering) {
    return (
      <button type="button" className="button button-quiet" onClick={() => setEntering(true)}>
        Add your {name} key
      </button>
    );
  }
  if (entering) {
    return (
      <KeyEntry
        name={name}
        replacing={saved !== null}
        form={form}
        onSave={onSave}
        onCancel={() => setEntering(false)}
        onSaved={() => setEntering(false)}
      />
    );
  }
  if (!saved) return null;
  return (
    <div className="key-line">
      <p>
        <span className="code">{saved.masked}</span> <Validity saved={saved} name={name} />
      </p>
      <p className="key-facts">
        Saved <Ago at={saved.updated_at} />
      </p>
      <div className="key-actions">
        <button
          type="button"
          className="button button-quiet"
          disabled={form.step !== "idle"}
          onClick={() => setEntering(true)}
        >
          Replace
        </button>
        <button
          type="button"
          className="button button-quiet"
          disabled={form.step !== "idle"}
          onClick={() => setAsking(true)}
        >
          {form.step === "removing" ? <Spinner label="Removing" visible /> : "Remove"}
        </button>
      </div>
      {form.problem && (
        <p className="form-field-error" role="alert">
          {form.problem}
        </p>
      )}
      <ConfirmDialog
        open={asking}
        title={`Remove the ${name} key?`}
        confirmLabel="Remove"
        danger
        onConfirm={() => {
          // The dialog closes at once; what went wrong is said beside the key.
          void onRemove();
        }}
        onClose={() => setAsking(false)}
      >
        <p>
          The sealed key is deleted here; it stays valid at {name} until you revoke it there.
          {inUse && " Sessions cannot speak with this engine without it."}
        </p>
      </ConfirmDialog>
    </div>
  );
}
