import type { ReactNode } from "react";
import "./lists.css";

/** A state in a word; the colour only repeats what the word says. */
export function Badge({
  tone = "plain",
  children,
}: {
  tone?: "plain" | "good" | "wait" | "bad" | "accent";
  children: ReactNode;
}) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
