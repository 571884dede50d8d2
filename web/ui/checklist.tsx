import { CheckIcon, ClockIcon, TrashIcon } from "./icons.tsx";
import "./checklist.css";

const icons = { going: <TrashIcon />, gone: <CheckIcon />, pending: <ClockIcon /> };

export interface ChecklistProps {
  title: string;
  items: readonly string[];
  /** About to be erased, erased, or waiting to be. */
  state: keyof typeof icons;
}

/** What an erasure takes, took, or still has to take; nothing at all when there is nothing. */
export function Checklist({ title, items, state }: ChecklistProps) {
  if (items.length === 0) return null;
  return (
    <section className={`checklist checklist-${state}`}>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>
            {icons[state]}
            {item}
          </li>
        ))}
      </ul>
    </section>
  );
}
