import { type AvatarNames, nameOf } from "./avatar-names.ts";
import type { SessionRow } from "../../contract/sessions.ts";
import { Link } from "../shell/routing.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { RecordingIcon } from "../ui/icons.tsx";
import { formatDuration } from "../ui/time.ts";
import { StarButton } from "./star-button.tsx";
import { kindWords, sessionName } from "./words.ts";

function Length({ row }: { row: SessionRow }) {
  if (row.ended_at === null) return <Badge tone="good">Live</Badge>;
  return <>{row.duration_seconds === null ? "–" : formatDuration(row.duration_seconds)}</>;
}

interface RowProps {
  row: SessionRow;
  names: AvatarNames;
  onStar(starred: boolean): void;
}

function Row({ row, names, onStar }: RowProps) {
  const name = sessionName(row);
  return (
    <tr>
      <td className="session-star">
        <StarButton starred={row.starred} name={name} onToggle={() => onStar(!row.starred)} />
      </td>
      <td className="session-name">
        <Link href={`/sessions/${encodeURIComponent(row.id)}`}>{name}</Link>
        {row.preview && row.preview !== name && <p>{row.preview}</p>}
        {row.tags.length > 0 && (
          <p className="session-tags">
            {row.tags.map((tag) => (
              <span key={tag}>{tag}</span>
            ))}
          </p>
        )}
        <p className="session-narrow">
          {nameOf(names, row.avatar_id)} · <Ago at={row.started_at} /> · <Length row={row} />
        </p>
      </td>
      <td className="session-wide session-avatar">{nameOf(names, row.avatar_id)}</td>
      <td className="session-wide session-when">
        <Ago at={row.started_at} />
      </td>
      <td className="session-wide session-figure">
        <Length row={row} />
      </td>
      <td className="session-wide session-figure">{row.turns}</td>
      <td className="session-wide">{kindWords[row.kind]}</td>
      <td className="session-recording">
        {row.has_recording && (
          <span title="Recorded">
            <RecordingIcon />
            <span className="visually-hidden">Recorded</span>
          </span>
        )}
      </td>
    </tr>
  );
}

export interface SessionTableProps {
  rows: readonly SessionRow[];
  names: AvatarNames;
  onStar(id: string, starred: boolean): void;
}

export function SessionTable({ rows, names, onStar }: SessionTableProps) {
  return (
    <div className="table-frame">
      <table className="table session-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Starred</span>
            </th>
            <th scope="col">Session</th>
            <th scope="col" className="session-wide">
              Avatar
            </th>
            <th scope="col" className="session-wide">
              Started
            </th>
            <th scope="col" className="session-wide session-figure">
              Length
            </th>
            <th scope="col" className="session-wide session-figure">
              Turns
            </th>
            <th scope="col" className="session-wide">
              Through
            </th>
            <th scope="col">
              <span className="visually-hidden">Recording</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} names={names} onStar={(starred) => onStar(row.id, starred)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
