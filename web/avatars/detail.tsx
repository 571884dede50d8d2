// One avatar: how it looks in each tone, what it was made from, who may see it, and how to be rid of it.

import { useEffect, useState } from "react";
import type { LibraryAvatar } from "../../contract/library.ts";
import { baseTone } from "../../contract/tones.ts";
import { Page } from "../shell/page.tsx";
import { BackLink } from "../shell/back-link.tsx";
import { Link } from "../shell/routing.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { formatDateTime } from "../ui/time.ts";
import { StateBadge } from "./avatar-card.tsx";
import { avatarsApi } from "./avatars-api.ts";
import { DetailStore, type Part } from "./detail-store.ts";
import { Gallery } from "./gallery.tsx";
import { Files } from "./files.tsx";
import { pictureOf } from "./glimpses-store.ts";
import { findAvatar, justReady } from "./library-store.ts";
import type { AvatarParts } from "./open-avatars.ts";
import { SourceCard } from "./source-card.tsx";
import { ToneStage } from "./tone-stage.tsx";
import { VisibilityCard } from "./visibility-card.tsx";
import { sourceWords } from "./words.ts";
import "./detail.css";

function valueOf<Value>(part: Part<Value>): Value | null {
  return part.status === "ready" ? part.value : null;
}

function Facts({ avatar }: { avatar: LibraryAvatar }) {
  return (
    <section className="card">
      <h2>About</h2>
      <dl className="facts">
        <dt>Id</dt>
        <dd className="facts-id">
          <span className="code">{avatar.avatar_id}</span>
          <CopyButton text={avatar.avatar_id} what="id" compact />
        </dd>
        <dt>Made from</dt>
        <dd>{sourceWords[avatar.source_kind]}</dd>
        {avatar.prepared_in_region && (
          <>
            <dt>Prepared in</dt>
            <dd>{avatar.prepared_in_region}</dd>
          </>
        )}
        {avatar.weights_volume && (
          <>
            <dt>Volume</dt>
            <dd>{avatar.weights_volume}</dd>
          </>
        )}
        <dt>Added</dt>
        <dd>{formatDateTime(avatar.created_at)}</dd>
        <dt>Last report</dt>
        <dd>
          <Ago at={avatar.updated_at} />
        </dd>
      </dl>
    </section>
  );
}

function StateNote({ avatar, onAdd }: { avatar: LibraryAvatar; onAdd(): void }) {
  if (avatar.state === "preparing") {
    return (
      <Banner kind="notice" title="This face is being prepared">
        {avatar.detail || "A box is learning it from the picture; this takes a few seconds."}
      </Banner>
    );
  }
  if (avatar.state === "failed") {
    return (
      <Banner
        kind="error"
        title="This face could not be prepared"
        action={{ label: "Use another picture", onAct: onAdd }}
      >
        {avatar.detail || "The box gave no reason."}
      </Banner>
    );
  }
  return null;
}

function Detail({ avatar, mine, parts }: { avatar: LibraryAvatar; mine: boolean; parts: AvatarParts }) {
  const { client, publishing, erasure, upload } = parts;
  const [store] = useState(() => {
    const api = { ...avatarsApi, retryClip: client.retryClip.bind(client) };
    return new DetailStore(api, { id: avatar.avatar_id, mine });
  });
  const state = useStore(store);
  const version = `${avatar.state} ${avatar.updated_at}`;
  const fresh = justReady(avatar);
  useEffect(() => {
    // The version is named so that everything is read again whenever a box reports something new.
    if (version) void store.load({ fresh });
    // There is no still to be had of somebody else's avatar, so it shows itself moving.
    if (!mine) void store.play(baseTone, { asked: false });
    return store.dispose;
    // Growing old is no reason to read again.
  }, [store, version, mine]);

  const assets = valueOf(state.assets);
  const clips = valueOf(state.clips);
  return (
    <Page
      title={avatar.display_name}
      lead={
        <span className="detail-badges">
          <StateBadge avatar={avatar} />
          {avatar.visibility === "public" ? <Badge tone="accent">Public</Badge> : <Badge>Private</Badge>}
          {!mine && <span>Published by another developer</span>}
        </span>
      }
      actions={
        mine && (
          <button type="button" className="button button-quiet" onClick={() => erasure.ask(avatar)}>
            <TrashIcon />
            Erase
          </button>
        )
      }
    >
      <BackLink href="/avatars">All avatars</BackLink>
      <StateNote avatar={avatar} onAdd={upload.open} />
      <div className="detail-columns">
        <div className="detail-main">
          <ToneStage
            avatar={avatar}
            picture={assets ? pictureOf(assets) : null}
            clips={state.clips}
            playing={state.playing}
            refused={state.refused}
            onMake={mine ? (tone) => void store.make(tone) : null}
            onPlay={(tone) => void store.play(tone)}
            onStop={store.stop}
            onRetry={() => void store.load()}
          />
          {mine && <Files assets={state.assets} onRetry={() => void store.load()} />}
        </div>
        <div className="detail-side">
          {mine && <VisibilityCard avatar={avatar} store={publishing} />}
          <Facts avatar={avatar} />
          {clips && <SourceCard clips={clips} assets={assets} />}
        </div>
      </div>
    </Page>
  );
}

export function AvatarDetail({ id, parts }: { id: string; parts: AvatarParts }) {
  const library = useStore(parts.library);
  const erasing = useStore(parts.erasure).phase;
  const found = findAvatar(library, id);
  if (found) return <Detail key={String(found.mine)} avatar={found.avatar} mine={found.mine} parts={parts} />;
  // Under the receipt of its erasure there is nothing left to show of it.
  if (erasing.step !== "closed" && erasing.avatar.avatar_id === id) return <Gallery parts={parts} />;
  const { own, published } = library;
  const failed = [own, published].find((list) => list.status === "error");
  const waiting = own.status === "loading" || published.status === "loading" || library.expected.includes(id);
  return (
    <Page title={waiting ? "One moment" : "Avatar"}>
      <BackLink href="/avatars">All avatars</BackLink>
      {failed?.error ? (
        <LoadFailed
          title="The avatar cannot be fetched"
          error={failed.error}
          onRetry={() => {
            void parts.library.refresh();
            void parts.library.refreshPublished();
          }}
        />
      ) : waiting ? (
        <Spinner label="Fetching the avatar" visible />
      ) : (
        <EmptyState
          title="There is no such avatar"
          action={
            <Link className="button button-primary" href="/avatars">
              See all avatars
            </Link>
          }
        >
          It may have been erased, or its owner made it private again.
        </EmptyState>
      )}
    </Page>
  );
}
