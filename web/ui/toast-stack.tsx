import { AlertIcon, CheckIcon, CloseIcon } from "./icons.tsx";
import { useStore } from "./store.ts";
import { toasts } from "./toasts.ts";
import "./toasts.css";

/** Always in the page, so that screen readers notice what is added. */
export function ToastStack() {
  const state = useStore(toasts);
  return (
    <div className="toasts" role="status" aria-label="Notices">
      {state.toasts.map((toast) => (
        <div key={toast.id} className={`toast toast-${toast.kind}`}>
          {toast.kind === "done" ? <CheckIcon /> : <AlertIcon />}
          <span>{toast.text}</span>
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => toasts.dismiss(toast.id)}
          >
            <CloseIcon />
          </button>
        </div>
      ))}
    </div>
  );
}
