// API keys: what programs sign in with.

import { useEffect, useState } from "react";
import type { KeyRecord } from "../../contract/credentials.ts";
import { limits } from "../../contract/limits.ts";
import { Page } from "../shell/page.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { toasts } from "../ui/toasts.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { KeysStore } from "./keys-store.ts";
import { TryIt } from "./try-it.tsx";
import "./keys.css";

function KeyRow({ record, onRevoke }: { record: KeyRecord; onRevoke?(): void }) {
  return (
    <li className={record.revoked ? "row row-muted" : "row"}>
      <div className="row-main">
        <span className="row-title">
          {record.name}
          {record.revoked && <Badge tone="bad">Revoked</Badge>}
        </span>
        <span className="row-facts">
          <span className="code">{record.hint}</span>
          <span>
            Created <Ago at={record.created_at} />
          </span>
          {record.revoked_at !== null && (
            <span>
              Revoked <Ago at={record.revoked_at} />
              {record.revoked_by !== null && ` by ${record.revoked_by}`}
            </span>
          )}
        </span>
      </div>
      {onRevoke && (
        <div className="row-actions">
          <button
            type="button"
            className="button button-quiet"
            aria-label={`Revoke ${record.name}`}
            onClick={onRevoke}
          >
            Revoke
          </button>
        </div>
      )}
    </li>
  );
}

export function KeysPage() {
  const [store] = useState(() => new KeysStore());
  const { status, error, keys } = useStore(store);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<KeyRecord | null>(null);
  useEffect(() => void store.refresh(), [store]);

  const working = keys.filter((key) => !key.revoked);
  const revoked = keys.filter((key) => key.revoked);
  const createButton = (
    <button type="button" className="button button-primary" onClick={() => setCreating(true)}>
      <PlusIcon />
      Create key
    </button>
  );
  return (
    <Page
      title="Keys"
      lead="A key lets a program of yours use Visàvis in your name. Give each program its own, so that you can revoke one without touching the others."
      actions={keys.length > 0 && createButton}
    >
      {error && (
        <LoadFailed title="Your keys cannot be fetched" error={error} onRetry={() => void store.refresh()} />
      )}
      {status === "loading" && (
        <div className="page-wait">
          <Spinner label="Fetching your keys" visible />
        </div>
      )}
      {status === "ready" && keys.length === 0 && (
        <EmptyState title="No keys yet" action={createButton}>
          Create one to call the API from your own code.
        </EmptyState>
      )}
      {keys.length > 0 && (
        <section className="keys" aria-label="Your keys">
          {working.length > 0 ? (
            <ul className="rows" data-testid="keys">
              {working.map((key) => (
                <KeyRow key={key.id} record={key} onRevoke={() => setRevoking(key)} />
              ))}
            </ul>
          ) : (
            <EmptyState title="No working key">Every key you made has been revoked.</EmptyState>
          )}
          {revoked.length > 0 && (
            <details className="revoked-keys">
              <summary>Revoked keys ({revoked.length})</summary>
              <ul className="rows">
                {revoked.map((key) => (
                  <KeyRow key={key.id} record={key} />
                ))}
              </ul>
            </details>
          )}
          <p className="keys-count">
            {keys.length} of {limits.keysPerAccount} keys. Revoked ones stay listed and count.
          </p>
        </section>
      )}
      {status !== "loading" && <TryIt />}
      <CreateKeyDialog open={creating} onCreate={store.create} onClose={() => setCreating(false)} />
      <ConfirmDialog
        open={revoking !== null}
        title="Revoke this key?"
        confirmLabel="Revoke key"
        busyLabel="Revoking"
        danger
        onConfirm={async () => {
          if (!revoking) return;
          await store.revoke(revoking.id);
          toasts.show(`${revoking.name} is revoked.`);
        }}
        onClose={() => setRevoking(null)}
      >
        <p>
          Whatever uses <strong>{revoking?.name}</strong> ({revoking?.hint}) stops working at once, and the
          key cannot be brought back.
        </p>
      </ConfirmDialog>
    </Page>
  );
}
