// One session: what was said, how it looked, and what the person makes of it.

import { useEffect, useState } from "react";
import { limits } from "../../contract/limits.ts";
import type { SessionRow } from "../../contract/sessions.ts";
import { Page } from "../shell/page.tsx";
import { BackLink } from "../shell/back-link.tsx";
import { useRouter } from "../shell/routing.tsx";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { TagInput } from "../ui/tag-input.tsx";
import { formatDateTime, formatDuration } from "../ui/time.ts";
import { type AvatarNames, nameOf } from "./avatar-names.ts";
import { SessionDetailStore } from "./detail-store.ts";
import { EraseDialog } from "./erase-dialog.tsx";
import { NotesForm } from "./notes-form.tsx";
import { Recording } from "./recording.tsx";
import { sessionsApi } from "./sessions-api.ts";
import { sessionOf, type SessionsStore } from "./sessions-store.ts";
import { StarButton } from "./star-button.tsx";
import { TranscriptList } from "./transcript-list.tsx";
import { endWords, kindWords, sessionName } from "./words.ts";
import "./session-view.css";

function Facts({ row, names }: { row: SessionRow; names: AvatarNames }) {
  const facts: [string, string][] = [
    ["Avatar", nameOf(names, row.avatar_id)],
    ["Started", formatDateTime(row.started_at)],
    ["Length", row.duration_seconds === null ? "Still live" : formatDuration(row.duration_seconds)],
    ["Turns", String(row.turns)],
    ["Through", kindWords[row.kind]],
    ["Ended", row.end_reason === null ? "Not yet" : endWords[row.end_reason]],
    ["Model", row.model],
    ["Voice", row.voice],
    ["Persona", row.persona],
  ];
  return (
    <section className="card">
      <h2>About</h2>
      <dl className="session-facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function Missing({ store }: { store: SessionDetailStore }) {
  const { status, error } = useStore(store);
  return (
    <Page title={status === "loading" ? "One moment" : "Session"}>
      <BackLink href="/sessions">All sessions</BackLink>
      {error === null ? (
        <Spinner label="Fetching the session" visible />
      ) : error.code === "session_not_found" ? (
        <EmptyState title="There is no such session">It may have been erased.</EmptyState>
      ) : (
        <LoadFailed title="The session cannot be fetched" error={error} onRetry={() => void store.load()} />
      )}
    </Page>
  );
}

function tagLimits() {
  return { maxTags: limits.sessionTags, maxChars: limits.sessionTagChars };
}

export interface SessionViewProps {
  id: string;
  sessions: SessionsStore;
  names: AvatarNames;
}

export function SessionView({ id, sessions, names }: SessionViewProps) {
  const router = useRouter();
  const [store] = useState(
    () =>
      new SessionDetailStore({
        api: sessionsApi,
        id,
        onRow: sessions.adopt,
        onErased: sessions.forget,
      }),
  );
  const detail = useStore(store);
  const listed = useStore(sessions);
  useEffect(() => {
    void store.load();
  }, [store]);

  const row = sessionOf(listed, id);
  const refusal = listed.refusal?.id === id ? listed.refusal : null;
  const leave = () => {
    store.closeErase();
    if (detail.erasing.step === "erased") router.navigate("/sessions");
  };
  // After the erasure only the answer to it is left to show.
  const erased = detail.erasing.step === "erased";
  return (
    <>
      {row ? (
        <Page
          title={sessionName(row)}
          lead={
            <span className="session-lead">
              {row.ended_at === null && <Badge tone="good">Live</Badge>}
              {formatDateTime(row.started_at)}
            </span>
          }
          actions={
            <>
              <StarButton
                starred={row.starred}
                name={sessionName(row)}
                onToggle={() => void sessions.edit(id, { starred: !row.starred })}
              />
              <button type="button" className="button button-quiet" onClick={store.askErase}>
                <TrashIcon />
                Erase
              </button>
            </>
          }
        >
          <BackLink href="/sessions">All sessions</BackLink>
          {refusal && (
            <Banner kind="error" title="The change was not kept" onDismiss={sessions.dismissRefusal}>
              {refusal.message}
            </Banner>
          )}
          <div className="session-columns">
            <div className="session-main">
              <Recording store={store} expected={row.has_recording} />
              <section className="card">
                <h2>Transcript</h2>
                {detail.status === "error" && detail.error ? (
                  <LoadFailed
                    title="The transcript cannot be fetched"
                    error={detail.error}
                    onRetry={() => void store.load()}
                  />
                ) : detail.status === "loading" ? (
                  <Spinner label="Fetching the transcript" visible />
                ) : (
                  <TranscriptList
                    lines={detail.transcript}
                    startedAt={row.started_at}
                    name={nameOf(names, row.avatar_id)}
                  />
                )}
              </section>
            </div>
            <div className="session-side">
              <section className="card">
                <h2>Your notes</h2>
                <NotesForm row={row} onSave={(patch) => sessions.edit(id, patch)} />
                <TagInput
                  label="Tags"
                  value={row.tags}
                  {...tagLimits()}
                  placeholder="Add a tag"
                  onChange={(tags) => void sessions.edit(id, { tags })}
                />
              </section>
              <Facts row={row} names={names} />
            </div>
          </div>
        </Page>
      ) : erased ? (
        <Page title="Session erased">
          <BackLink href="/sessions">All sessions</BackLink>
        </Page>
      ) : (
        <Missing store={store} />
      )}
      <EraseDialog store={store} onLeave={leave} />
    </>
  );
}
