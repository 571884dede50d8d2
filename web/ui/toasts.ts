// Short notices that something was done; they go by themselves.

import { Store } from "./store.ts";

export interface Toast {
  id: number;
  kind: "done" | "problem";
  text: string;
}

const shownMs = { done: 4000, problem: 8000 } as const;
const most = 3;

export class ToastStore extends Store<{ toasts: readonly Toast[] }> {
  #lastId = 0;

  constructor() {
    super({ toasts: [] });
  }

  readonly show = (text: string, kind: Toast["kind"] = "done"): void => {
    this.#lastId += 1;
    const id = this.#lastId;
    this.update({ toasts: [...this.get().toasts, { id, kind, text }].slice(-most) });
    setTimeout(() => this.dismiss(id), shownMs[kind]);
  };

  readonly dismiss = (id: number): void => {
    const toasts = this.get().toasts.filter((toast) => toast.id !== id);
    if (toasts.length < this.get().toasts.length) this.update({ toasts });
  };
}

/** The page's one stack of notices; the shell shows it. */
export const toasts = new ToastStore();
