import { profilePath, profileBox } from "./profile.ts";

/** Two faces, vis-à-vis, and the name. */
export function Wordmark() {
  const { width, top, height } = profileBox;
  return (
    <span className="wordmark">
      <svg viewBox={`0 ${top} ${width * 2 + 60} ${height}`} aria-hidden="true" focusable="false">
        <path d={profilePath} />
        <path d={profilePath} transform={`translate(${width * 2 + 60} 0) scale(-1 1)`} />
      </svg>
      Visàvis
    </span>
  );
}
