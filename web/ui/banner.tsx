import type { ReactNode } from "react";
import { AlertIcon, CloseIcon, InfoIcon } from "./icons.tsx";
import "./banner.css";

export interface BannerProps {
  /** Errors interrupt a screen reader, notices wait their turn. */
  kind: "error" | "notice";
  title?: string;
  children?: ReactNode;
  action?: { label: string; onAct(): void };
  onDismiss?(): void;
}

export function Banner({ kind, title, children, action, onDismiss }: BannerProps) {
  return (
    <div className={`banner banner-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {kind === "error" ? <AlertIcon /> : <InfoIcon />}
      <div className="banner-text">
        {title && <strong>{title}</strong>}
        {children && <span>{children}</span>}
      </div>
      {action && (
        <button type="button" className="button button-quiet" onClick={action.onAct}>
          {action.label}
        </button>
      )}
      {onDismiss && (
        <button type="button" className="icon-button" onClick={onDismiss} aria-label="Dismiss">
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
