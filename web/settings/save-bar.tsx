// At the foot of the form while something in it is not saved.

import { Spinner } from "../ui/spinner.tsx";

export interface SaveBarProps {
  /** How many fields differ from what is stored. */
  changes: number;
  /** How many places have to be put right first. */
  problems: number;
  saving: boolean;
  onRevert(): void;
}

export function SaveBar({ changes, problems, saving, onRevert }: SaveBarProps) {
  const words =
    problems > 0
      ? `${problems} ${problems === 1 ? "field needs" : "fields need"} attention`
      : `${changes} unsaved ${changes === 1 ? "change" : "changes"}`;
  return (
    <div
      className={problems > 0 ? "save-bar save-bar-bad" : "save-bar"}
      role="region"
      aria-label="Unsaved changes"
    >
      <span role="status">{words}</span>
      <button type="button" className="button button-quiet" disabled={saving} onClick={onRevert}>
        Discard
      </button>
      <button type="submit" className="button button-primary" disabled={saving}>
        {saving ? <Spinner label="Saving" visible /> : "Save"}
      </button>
    </div>
  );
}
