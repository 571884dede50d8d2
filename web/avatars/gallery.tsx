// All avatars: the person's own, and the ones others have published.

import { useState } from "react";
import { Link } from "../shell/routing.tsx";
import { Page } from "../shell/page.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { PlusIcon, SparkIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { AvatarCard } from "./avatar-card.tsx";
import { justReady, type Listing } from "./library-store.ts";
import type { LibraryAvatar } from "../../contract/library.ts";
import type { AvatarParts } from "./open-avatars.ts";
import "./gallery.css";

type Shelf = "own" | "public";

function AddButton({ onAdd }: { onAdd(): void }) {
  return (
    <button type="button" className="button button-primary" onClick={onAdd}>
      <PlusIcon />
      Add a face
    </button>
  );
}

export function Gallery({ parts }: { parts: AvatarParts }) {
  const { library, glimpses, upload } = parts;
  const { own, published } = useStore(library);
  const shown = useStore(glimpses).glimpses;
  const [shelf, setShelf] = useState<Shelf>("own");

  function cards(rows: readonly (LibraryAvatar & { mine?: boolean })[]) {
    return (
      <ul className="avatar-cards">
        {rows.map((row) => {
          const mine = shelf === "own" || row.mine === true;
          const id = row.avatar_id;
          return (
            <AvatarCard
              key={`${id} ${String(mine)}`}
              avatar={row}
              mine={mine}
              inPublic={shelf === "public"}
              glimpse={shown[id]}
              onVisible={() =>
                glimpses.want({
                  id,
                  mine,
                  version: `${row.state} ${row.updated_at}`,
                  fresh: justReady(row),
                })
              }
              onLapsed={() => glimpses.lapsed(id)}
            />
          );
        })}
      </ul>
    );
  }

  function listing(list: Listing<LibraryAvatar>, empty: React.ReactNode, retry: () => void) {
    if (list.status === "error" && list.error) {
      return <LoadFailed title="The avatars cannot be fetched" error={list.error} onRetry={retry} />;
    }
    if (list.status === "loading") return <Spinner label="Fetching avatars" visible />;
    return list.rows.length === 0 ? empty : cards(list.rows);
  }

  return (
    <Page
      title="Avatars"
      lead="The faces of your sessions. Keep them to yourself, or publish one for every developer here."
      actions={
        <>
          <Link className="button button-quiet" href="/avatars/new">
            <SparkIcon />
            Create a portrait
          </Link>
          <AddButton onAdd={upload.open} />
        </>
      }
    >
      <div>
        <Segmented<Shelf>
          label="Which avatars"
          value={shelf}
          options={[
            { value: "own", label: own.status === "ready" ? `Yours · ${own.rows.length}` : "Yours" },
            {
              value: "public",
              label: published.status === "ready" ? `Public · ${published.rows.length}` : "Public",
            },
          ]}
          onChange={setShelf}
        />
      </div>
      {shelf === "own"
        ? listing(
            own,
            <EmptyState title="No faces yet" action={<AddButton onAdd={upload.open} />}>
              One photograph is enough: looking at you, well lit, one face. Or describe somebody who does not
              exist, and use that portrait.
            </EmptyState>,
            () => void library.refresh(),
          )
        : listing(
            published,
            <EmptyState title="Nobody has published a face yet">
              Open one of yours and choose “Publish” to be the first.
            </EmptyState>,
            () => void library.refreshPublished(),
          )}
    </Page>
  );
}
