import type { TranscriptLine } from "../../contract/sessions.ts";
import { formatDuration } from "../ui/time.ts";

export interface TranscriptListProps {
  lines: readonly TranscriptLine[];
  startedAt: number;
  /** Who answered. */
  name: string;
}

export function TranscriptList({ lines, startedAt, name }: TranscriptListProps) {
  if (lines.length === 0) return <p className="card-lead">Nothing was said.</p>;
  return (
    <ol className="lines">
      {lines.map((line, index) => (
        // Lines are never reordered, and two of them may be alike to the letter.
        <li key={index} className={`line line-${line.role}`}>
          <p className="line-who">
            <span>{line.role === "user" ? "You" : name}</span>
            {line.tone && <span className="line-tone">{line.tone}</span>}
            <time dateTime={new Date(line.at * 1000).toISOString()}>
              {formatDuration(line.at - startedAt)}
            </time>
          </p>
          <p className="line-words">{line.content}</p>
        </li>
      ))}
    </ol>
  );
}
