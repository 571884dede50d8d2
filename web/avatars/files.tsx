// The files kept of an avatar; their links live for a quarter of an hour.

import { Ago } from "../ui/ago.tsx";
import { RecordingIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import type { Assets } from "./avatars-api.ts";
import type { Part } from "./detail-store.ts";
import { formatBytes } from "./words.ts";

export function Files({ assets, onRetry }: { assets: Part<Assets>; onRetry(): void }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>Files</h2>
        <p className="card-lead">What is kept of this avatar: its source, its still, and its clips.</p>
      </div>
      {assets.status === "loading" && <Spinner label="Fetching the files" visible />}
      {assets.status === "error" && (
        <LoadFailed title="The files cannot be fetched" error={assets.error} onRetry={onRetry} />
      )}
      {assets.status === "ready" &&
        (assets.value.assets.length === 0 ? (
          <p className="card-lead">Nothing yet. Boxes store the files once the face is ready.</p>
        ) : (
          <ul className="files">
            {assets.value.assets.map((asset) => (
              <li key={asset.filename}>
                <span className="file-picture">
                  {asset.kind === "image" ? (
                    <img src={asset.url} alt="" loading="lazy" onError={onRetryOnce(asset.url, onRetry)} />
                  ) : (
                    <RecordingIcon />
                  )}
                </span>
                <a href={asset.url} target="_blank" rel="noreferrer">
                  {asset.filename}
                </a>
                <span className="file-facts">
                  {formatBytes(asset.size_bytes)} · <Ago at={asset.updated_at} />
                </span>
              </li>
            ))}
          </ul>
        ))}
    </section>
  );
}

const retried = new Set<string>();

/** A lapsed link is worth one fresh look; a file that is broken is not worth a second. */
function onRetryOnce(url: string, onRetry: () => void): () => void {
  return () => {
    const file = url.split("?")[0] ?? url;
    if (retried.has(file)) return;
    retried.add(file);
    onRetry();
  };
}
