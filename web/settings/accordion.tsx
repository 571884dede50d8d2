import { type ReactNode, useId } from "react";
import { ChevronIcon, TrashIcon } from "../ui/icons.tsx";

export interface AccordionProps {
  title: string;
  note: string;
  badge: ReactNode;
  open: boolean;
  removeLabel: string;
  onToggle(): void;
  onRemove(): void;
  children: ReactNode;
}

/** A row of a list that opens into a form. */
export function Accordion({
  title,
  note,
  badge,
  open,
  removeLabel,
  onToggle,
  onRemove,
  children,
}: AccordionProps) {
  const body = useId();
  return (
    <li className="accordion">
      <div className="accordion-head">
        <button
          type="button"
          className="accordion-toggle"
          aria-expanded={open}
          aria-controls={body}
          onClick={onToggle}
        >
          <ChevronIcon />
          <span className="accordion-words">
            <span className="accordion-title">{title}</span>
            {!open && note !== "" && <span className="accordion-note">{note}</span>}
          </span>
          {badge}
        </button>
        <button type="button" className="icon-button" aria-label={removeLabel} onClick={onRemove}>
          <TrashIcon />
        </button>
      </div>
      <div id={body} className="accordion-body" hidden={!open}>
        {open && children}
      </div>
    </li>
  );
}
