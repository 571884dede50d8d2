// Sign-in links lead to the front door: the page that somebody was on their way to waits there for them.

import { limits } from "../../contract/limits.ts";
import { matchPage } from "./pages.tsx";

const storageKey = "visavis.return";

type PathStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Keeps a guest's path for as long as a sign-in link lives. It is shared by tabs: mail opens links in new ones. */
export function rememberPath(path: string, storage: PathStorage, nowMs = Date.now()): void {
  if (path === "/") return;
  const untilMs = nowMs + limits.signInLinkSeconds * 1000;
  storage.setItem(storageKey, JSON.stringify({ path, untilMs }));
}

/** The path kept, once; null when there is none, it is too old, or no page is there. */
export function takePath(storage: PathStorage, nowMs = Date.now()): string | null {
  const kept = storage.getItem(storageKey);
  storage.removeItem(storageKey);
  if (kept === null) return null;
  try {
    const { path, untilMs } = JSON.parse(kept) as { path?: unknown; untilMs?: unknown };
    if (typeof path !== "string" || typeof untilMs !== "number" || untilMs < nowMs) return null;
    // Two slashes would make a host of the first word.
    return !path.startsWith("//") && matchPage(path, { admin: true }) ? path : null;
  } catch {
    return null;
  }
}

export interface ResumeWindow {
  location: { pathname: string };
  history: Pick<History, "replaceState">;
}

/** Goes on to the path kept when the person arrives at the front door. */
export function resumePath(window: ResumeWindow, storage: PathStorage): void {
  const path = takePath(storage);
  if (path !== null && window.location.pathname === "/") window.history.replaceState(null, "", path);
}
