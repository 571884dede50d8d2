// The router within reach of every page.

import { createContext, type ComponentProps, type MouseEvent, type RefObject, use, useEffect } from "react";
import type { Router } from "./router.ts";

export const RouterContext = createContext<Router | null>(null);

export function useRouter(): Router {
  const router = use(RouterContext);
  if (!router) throw new Error("A page needs the shell's router around it.");
  return router;
}

/** A link within the console. With a modifier key it is a link like any other. */
export function Link({ href, onClick, ...rest }: ComponentProps<"a"> & { href: string }) {
  const router = useRouter();
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !plain) return;
    event.preventDefault();
    router.navigate(href);
  }
  return <a href={href} onClick={follow} {...rest} />;
}

/**
 * Moves the focus to a page's heading when the person has come there by a link or the browser's buttons. `shown` is
 * false for a page that is kept while another is in view.
 */
export function useHeadingFocus(heading: RefObject<HTMLElement | null>, shown = true): void {
  const router = useRouter();
  useEffect(() => {
    if (!shown || !router.takeFocus()) return;
    // A dialog that asked about leaving gives the focus back as it closes; the heading has it after that.
    requestAnimationFrame(() => heading.current?.focus({ preventScroll: true }));
  }, [router, heading, shown]);
}

/** Asks before unsaved work is left behind: within the console by a dialog, on closing the tab by the browser's own. */
export function useLeaveGuard(unsaved: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!unsaved) return;
    router.setGuarded(true);
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => {
      router.setGuarded(false);
      removeEventListener("beforeunload", warn);
    };
  }, [router, unsaved]);
}
