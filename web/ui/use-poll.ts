import { useEffect } from "react";

/** Calls at once, then every `everyMs` while the page is in view, and at once when it comes back into view. */
export function usePoll(work: () => void | Promise<void>, everyMs: number): void {
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const follow = () => {
      clearInterval(timer);
      if (document.visibilityState !== "visible") return;
      void work();
      timer = setInterval(() => void work(), everyMs);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", follow);
    };
  }, [work, everyMs]);
}
