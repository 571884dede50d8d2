/** Says that something is under way; the label is read out, and shown on request. */
export function Spinner({ label, visible = false }: { label: string; visible?: boolean }) {
  return (
    <span className="spinner" role="status">
      <span className="spinner-ring" aria-hidden="true" />
      <span className={visible ? undefined : "visually-hidden"}>{label}</span>
    </span>
  );
}
