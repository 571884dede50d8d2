import type { ReactNode } from "react";
import "./lists.css";

/** What stands where a list would be: why it is empty, and the way out. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty-state">
      <p className="empty-state-title">{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
