// The console of a signed-in person: the way around, and the page they are on. The studio stays where it is while they
// look at other pages, so that a live session goes on.

import { Suspense, useEffect, useRef, useState } from "react";
import type { Me } from "../portal/portal.ts";
import type { VisitorStore } from "../portal/visitor-store.ts";
import { openStudio } from "../studio/open-studio.ts";
import { Studio } from "../studio/studio.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { ToastStack } from "../ui/toast-stack.tsx";
import { Nav } from "./nav.tsx";
import { NotFoundPage } from "./not-found.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { matchPage, studioPage } from "./pages.tsx";
import { resumePath } from "./return-path.ts";
import { Router } from "./router.ts";
import { RouterContext } from "./routing.tsx";
import "./shell.css";

export interface ShellProps {
  me: Me;
  visitor: VisitorStore;
}

export function Shell({ me, visitor }: ShellProps) {
  const [router] = useState(() => {
    resumePath(window, localStorage);
    return new Router(window);
  });
  const [studio] = useState(() => openStudio(me.email));
  const { path, held } = useStore(router);
  const match = matchPage(path, me);
  const inStudio = match?.page === studioPage;
  // Opened with its first visit: who only looks after keys needs no credential for a box.
  const [studioVisited, setStudioVisited] = useState(inStudio);
  if (inStudio && !studioVisited) setStudioVisited(true);

  useEffect(() => router.listen(), [router]);
  useEffect(() => visitor.whileHere(studio), [visitor, studio]);

  const title = match?.page.label ?? "Not found";
  const shownPath = useRef(path);
  useEffect(() => {
    document.title = `${title} · Visàvis`;
    if (shownPath.current !== path) scrollTo(0, 0);
    shownPath.current = path;
  }, [title, path]);

  const PageComponent = match?.page.component;
  return (
    <RouterContext value={router}>
      <div className="shell">
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <Nav current={match?.page ?? null} live={studio.live} {...me} onSignOut={visitor.signOut} />
        <main id="content" tabIndex={-1}>
          {studioVisited && (
            <div hidden={!inStudio}>
              <Studio parts={studio} active={inStudio} />
            </div>
          )}
          {!inStudio && (
            <PageBoundary key={title}>
              <Suspense
                fallback={
                  <div className="page-wait">
                    <Spinner label={`Opening ${title}`} />
                  </div>
                }
              >
                {PageComponent ? <PageComponent rest={match.rest} /> : <NotFoundPage />}
              </Suspense>
            </PageBoundary>
          )}
        </main>
        <ToastStack />
        <ConfirmDialog
          open={held !== null}
          title="Leave without saving?"
          confirmLabel="Leave"
          cancelLabel="Stay"
          danger
          onConfirm={router.proceed}
          onClose={router.stay}
        >
          <p>What you changed on this page has not been saved, and will be lost.</p>
        </ConfirmDialog>
      </div>
    </RouterContext>
  );
}
