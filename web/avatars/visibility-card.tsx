import type { LibraryAvatar } from "../../contract/library.ts";
import { Banner } from "../ui/banner.tsx";
import { useStore } from "../ui/store.ts";
import type { PublishingStore } from "./publishing-store.ts";

export function VisibilityCard({ avatar, store }: { avatar: LibraryAvatar; store: PublishingStore }) {
  const { withdrawing, notice } = useStore(store);
  const isPublic = avatar.visibility === "public";
  const busy = withdrawing === avatar.avatar_id;
  const ready = avatar.state === "ready";
  return (
    <section className="card">
      <div className="card-head">
        <h2>Who may see it</h2>
        <p className="card-lead" role="status">
          {isPublic
            ? "Every developer who signs in here may see this face and use it."
            : ready
              ? "Only you. Publishing shows it to every developer who signs in here."
              : "Only you. A face can be shown to others once it is ready."}
        </p>
      </div>
      {notice?.id === avatar.avatar_id && (
        <Banner kind={notice.kind} onDismiss={store.dismissNotice}>
          {notice.message}
        </Banner>
      )}
      <div>
        {isPublic ? (
          <button
            type="button"
            className="button button-quiet"
            disabled={busy}
            onClick={() => void store.withdraw(avatar)}
          >
            Make private
          </button>
        ) : (
          <button
            type="button"
            className="button button-quiet"
            disabled={busy || !ready}
            onClick={() => void store.open(avatar)}
          >
            Publish…
          </button>
        )}
      </div>
    </section>
  );
}
