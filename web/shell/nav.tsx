// The way around: a column beside the page, a bar under it on a small screen.

import { ConnectionChip } from "../live/connection-chip.tsx";
import type { LiveStore } from "../live/live-store.ts";
import { useStore } from "../ui/store.ts";
import { Wordmark } from "../ui/wordmark.tsx";
import { AccountMenu, type AccountMenuProps } from "./account-menu.tsx";
import { type PageEntry, pages, studioPage } from "./pages.tsx";
import { Link } from "./routing.tsx";
import "./nav.css";

export interface NavProps extends AccountMenuProps {
  current: PageEntry | null;
  live: LiveStore;
}

export function Nav({ current, live, ...account }: NavProps) {
  const { connection } = useStore(live);
  const onAir = connection !== "idle" && connection !== "closed";
  return (
    <header className={onAir ? "shell-side shell-side-on-air" : "shell-side"}>
      <div className="shell-mark">
        <Wordmark />
      </div>
      <nav aria-label="Main">
        <ul>
          {pages
            .filter((page) => !page.adminsOnly || account.admin)
            .map((page) => (
              <li key={page.path}>
                <Link href={page.path} aria-current={page === current ? "page" : undefined}>
                  <page.icon />
                  <span>{page.label}</span>
                  {page === studioPage && onAir && <span className="nav-dot" aria-hidden="true" />}
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <div className={onAir ? "shell-live" : "visually-hidden"}>
        <ConnectionChip state={connection} />
      </div>
      <AccountMenu {...account} />
    </header>
  );
}
