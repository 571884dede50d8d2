// What the avatar was made from, which part of it was taken, and how the last build went.

import { Ago } from "../ui/ago.tsx";
import type { Assets, ClipList } from "./avatars-api.ts";
import { buildWords, framingWords, sourceWords } from "./words.ts";

const percent = (fraction: number) => `${(fraction * 100).toFixed(2)}%`;

/** The source with the part that became the face marked on it. */
function Crop({ url, framing }: { url: string; framing: NonNullable<ClipList["framing"]> }) {
  const { x, y, w, h } = framing;
  return (
    <div className="crop" aria-hidden="true">
      <img src={url} alt="" />
      <span style={{ left: percent(x), top: percent(y), width: percent(w), height: percent(h) }} />
    </div>
  );
}

export function SourceCard({ clips, assets }: { clips: ClipList; assets: Assets | null }) {
  const { source, framing, build } = clips;
  if (!source && !framing && !build) return null;
  // The archive keeps the source under a name of its own.
  const file = assets?.assets.find(
    ({ kind, filename }) => kind === "image" && filename.startsWith("source."),
  );
  return (
    <section className="card">
      <h2>Source and build</h2>
      {file && framing && <Crop url={file.url} framing={framing} />}
      <dl className="facts">
        {source && (
          <>
            <dt>Source</dt>
            <dd>
              {sourceWords[source.kind]}, <span className="facts-file">{source.filename}</span>
            </dd>
            <dt>SHA-256</dt>
            <dd>
              <span className="code" title={source.sha256}>
                {source.sha256.slice(0, 16)}…
              </span>
            </dd>
          </>
        )}
        {framing && (
          <>
            <dt>Framing</dt>
            <dd>{framingWords[framing.crop]}</dd>
          </>
        )}
        {build && (
          <>
            <dt>Last build</dt>
            <dd>
              {buildWords(build)}
              {build.finished_at !== null && (
                <>
                  , <Ago at={build.finished_at} />
                </>
              )}
              {build.detail && <p className="facts-detail">{build.detail}</p>}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
