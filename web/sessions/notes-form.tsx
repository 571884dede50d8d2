// Title and notes: typed in peace, saved together, and kept in the form when the portal refuses them.

import { type FormEvent, useState } from "react";
import { limits } from "../../contract/limits.ts";
import type { SessionPatch, SessionRow } from "../../contract/sessions.ts";
import { useLeaveGuard } from "../shell/routing.tsx";
import { TextArea, TextField } from "../ui/fields.tsx";
import { Spinner } from "../ui/spinner.tsx";

export interface NotesFormProps {
  row: SessionRow;
  /** Resolves with whether the portal took it. */
  onSave(patch: SessionPatch): Promise<boolean>;
}

type Draft = { title: string; notes: string };

function changes(row: SessionRow, { title, notes }: Draft): SessionPatch {
  return {
    ...(title.trim() === row.title ? {} : { title: title.trim() }),
    ...(notes === row.notes ? {} : { notes }),
  };
}

export function NotesForm({ row, onSave }: NotesFormProps) {
  // Null while nothing was typed: what the portal knows is shown, and follows it.
  const [draft, setDraft] = useState<Draft | null>(null);
  const [saving, setSaving] = useState(false);
  const shown = draft ?? { title: row.title, notes: row.notes };
  const patch = changes(row, shown);
  const unsaved = draft !== null && Object.keys(patch).length > 0;
  useLeaveGuard(unsaved || saving);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!unsaved || saving) return;
    setSaving(true);
    const taken = await onSave(patch);
    setSaving(false);
    if (taken) setDraft(null);
  }

  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Title"
        value={shown.title}
        placeholder={row.preview || "Untitled"}
        maxLength={limits.sessionTitleChars}
        autoComplete="off"
        onChange={(title) => setDraft({ ...shown, title })}
      />
      <TextArea
        label="Notes"
        value={shown.notes}
        rows={4}
        maxLength={limits.sessionNotesChars}
        onChange={(notes) => setDraft({ ...shown, notes })}
      />
      {(unsaved || saving) && (
        <div className="session-form-actions">
          <button type="submit" className="button button-primary" disabled={saving}>
            {saving ? <Spinner label="Saving" visible /> : "Save"}
          </button>
          <button
            type="button"
            className="button button-quiet"
            disabled={saving}
            onClick={() => setDraft(null)}
          >
            Discard
          </button>
        </div>
      )}
    </form>
  );
}
