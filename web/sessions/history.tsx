// The sessions loaded so far, newest first, with a search over exactly those.

import { useEffect } from "react";
import { Page } from "../shell/page.tsx";
import { Link } from "../shell/routing.tsx";
import { Banner } from "../ui/banner.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TextField } from "../ui/fields.tsx";
import { RefreshIcon, StarIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { AvatarNames } from "./avatar-names.ts";
import { SessionTable } from "./session-table.tsx";
import { type SessionsState, type SessionsStore, visibleSessions } from "./sessions-store.ts";
import "./sessions.css";

function Toolbar({ state, store, found }: { state: SessionsState; store: SessionsStore; found: number }) {
  const filtered = state.query.trim() !== "" || state.starredOnly;
  const loaded = state.rows.length;
  const all = state.next === null;
  return (
    <div className="session-toolbar">
      <div className="session-search">
        <TextField
          label="Search the loaded sessions"
          labelHidden
          type="search"
          placeholder="Search titles, first words, tags, notes"
          value={state.query}
          autoComplete="off"
          onChange={store.setQuery}
        />
      </div>
      <button
        type="button"
        className="button button-quiet star-filter"
        aria-pressed={state.starredOnly}
        onClick={() => store.setStarredOnly(!state.starredOnly)}
      >
        <StarIcon />
        Starred
      </button>
      <p className="session-count" role="status">
        {filtered ? `${found} of ${loaded} loaded` : all ? `${loaded} in all` : `${loaded} loaded`}
      </p>
    </div>
  );
}

function More({ state, store }: { state: SessionsState; store: SessionsStore }) {
  if (state.moreError) {
    return (
      <LoadFailed
        title="Older sessions cannot be fetched"
        error={state.moreError}
        onRetry={() => void store.loadMore()}
      />
    );
  }
  if (state.next === null) return null;
  return (
    <div className="session-more">
      <button
        type="button"
        className="button button-quiet"
        disabled={state.loadingMore}
        onClick={() => void store.loadMore()}
      >
        {state.loadingMore ? <Spinner label="Fetching" visible /> : "Load more"}
      </button>
    </div>
  );
}

interface ListingProps {
  state: SessionsState;
  store: SessionsStore;
  names: AvatarNames;
}

function Listing({ state, store, names }: ListingProps) {
  if (state.status === "error" && state.error) {
    return (
      <LoadFailed
        title="The sessions cannot be fetched"
        error={state.error}
        onRetry={() => void store.load()}
      />
    );
  }
  if (state.status === "loading") return <Spinner label="Fetching sessions" visible />;
  if (state.rows.length === 0) {
    return (
      <EmptyState
        title="No sessions yet"
        action={
          <Link className="button button-primary" href="/studio">
            Open the studio
          </Link>
        }
      >
        Go live with a face; what was said is kept here afterwards.
      </EmptyState>
    );
  }
  const rows = visibleSessions(state);
  return (
    <>
      <Toolbar state={state} store={store} found={rows.length} />
      {state.refusal && (
        <Banner kind="error" title="The change was not kept" onDismiss={store.dismissRefusal}>
          {state.refusal.message}
        </Banner>
      )}
      {rows.length === 0 ? (
        <EmptyState title="Nothing found">
          {state.next === null
            ? "No session fits."
            : "No loaded session fits. Older ones are searched once they are loaded."}
        </EmptyState>
      ) : (
        <SessionTable rows={rows} names={names} onStar={(id, starred) => void store.edit(id, { starred })} />
      )}
      <More state={state} store={store} />
    </>
  );
}

export function History({ store, names }: { store: SessionsStore; names: AvatarNames }) {
  const state = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  return (
    <Page
      title="Sessions"
      lead="Every conversation your avatars had, with its transcript, and its recording where there is one."
      actions={
        state.status === "ready" && (
          <button type="button" className="button button-quiet" onClick={() => void store.load()}>
            <RefreshIcon />
            Refresh
          </button>
        )
      }
    >
      <Listing state={state} store={store} names={names} />
    </Page>
  );
}
