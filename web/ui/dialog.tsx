// A modal dialog, as the browser makes them: focus stays inside, Escape closes, the page behind is inert.

import { type ReactNode, useEffect, useId, useRef } from "react";
import { CloseIcon } from "./icons.tsx";
import "./dialog.css";

export interface DialogProps {
  open: boolean;
  title: string;
  /** Of the buttons at the foot; they go to the right, the main one last. */
  actions?: ReactNode;
  size?: "small" | "medium" | "large";
  /** What is shown must not be lost by a stray key: only the buttons close it. */
  insistent?: boolean;
  onClose(): void;
  children: ReactNode;
}

export function Dialog({
  open,
  title,
  actions,
  size = "medium",
  insistent = false,
  onClose,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);

  useEffect(() => {
    if (!open || !insistent) return;
    // A browser honours a refused `cancel` only once, and the focus may be outside after what had it was replaced.
    const refuse = (event: KeyboardEvent) => {
      if (event.key === "Escape") event.preventDefault();
    };
    document.addEventListener("keydown", refuse, true);
    return () => document.removeEventListener("keydown", refuse, true);
  }, [open, insistent]);

  return (
    <dialog
      ref={element}
      className={`dialog dialog-${size}`}
      aria-labelledby={titleId}
      onClose={() => {
        // Also after Escape; after a close of our own nothing is left to say.
        if (open) onClose();
      }}
      onCancel={(event) => {
        if (insistent) event.preventDefault();
      }}
      onClick={(event) => {
        if (!insistent && event.target === element.current) onClose();
      }}
    >
      {open && (
        <div className="dialog-body">
          <header className="dialog-head">
            <h2 id={titleId}>{title}</h2>
            {!insistent && (
              <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
                <CloseIcon />
              </button>
            )}
          </header>
          {children}
          {actions && <footer className="dialog-actions">{actions}</footer>}
        </div>
      )}
    </dialog>
  );
}
