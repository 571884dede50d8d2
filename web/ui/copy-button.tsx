import { useEffect, useState } from "react";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { toasts } from "./toasts.ts";

export interface CopyButtonProps {
  text: string;
  /** What is copied, such as "key": the button then reads "Copy key". */
  what?: string;
  /** Only the icon; the words are read out. */
  compact?: boolean;
  autoFocus?: boolean;
}

/** Puts a text on the clipboard, and says so for a moment. */
export function CopyButton({ text, what, compact = false, autoFocus = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Browsers keep the clipboard from pages without HTTPS, and from those whose visitor said no.
      toasts.show("The browser did not allow copying. Select the text and copy it by hand.", "problem");
    }
  }

  const label = copied ? "Copied" : what ? `Copy ${what}` : "Copy";
  return (
    <button
      type="button"
      className={compact ? "icon-button" : "button button-quiet"}
      aria-label={compact ? label : undefined}
      title={compact ? label : undefined}
      autoFocus={autoFocus}
      onClick={() => void copy()}
    >
      {copied ? <CheckIcon /> : <CopyIcon />}
      {!compact && <span aria-live="polite">{label}</span>}
    </button>
  );
}
