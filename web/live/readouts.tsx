// How well the stream is doing, and how quick the last turn was.

import type { StreamStats } from "../sdk/index.ts";
import { formatFps, formatMs } from "./figures.ts";
import type { TurnFigures } from "./live-store.ts";
import "./readouts.css";

export interface ReadoutsProps {
  stats: StreamStats | null;
  firstFrameMs: number | null;
  turn: TurnFigures | null;
  spokenMs: number | null;
}

interface Figure {
  id: string;
  label: string;
  value: string;
  hint?: string;
  /** Left out where there is little room. */
  detail?: boolean;
}

function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className="readouts" aria-label={label}>
      {figures.map(({ id, label, value, hint, detail = false }) => (
        <div key={id} title={hint} className={detail ? "readout-detail" : undefined}>
          <dt>{label}</dt>
          <dd data-testid={`readout-${id}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Readouts({ stats, firstFrameMs, turn, spokenMs }: ReadoutsProps) {
  return (
    <div className="readouts-both">
      <Figures
        label="Quality of the stream"
        figures={[
          { id: "fps", label: "Frame rate", value: formatFps(stats?.fps ?? null) },
          { id: "rtt", label: "Round trip", value: formatMs(stats?.rttMs ?? null) },
          {
            id: "first-frame",
            detail: true,
            label: "Went live in",
            value: formatMs(firstFrameMs),
            hint: "From the click to the first picture",
          },
        ]}
      />
      <Figures
        label="Speed of the last turn"
        figures={[
          {
            id: "model",
            detail: true,
            label: "Model",
            value: formatMs(turn?.llm_ms ?? null),
            hint: "From the message to the model's first words",
          },
          {
            id: "voice",
            detail: true,
            label: "Voice",
            value: formatMs(turn?.tts_ms ?? null),
            hint: "From the first words to their sound",
          },
          {
            id: "first-audio",
            label: "First sound",
            value: formatMs(turn?.first_audio_ms ?? null),
            hint: "From the message to the first sound",
          },
          {
            id: "turn-frame",
            detail: true,
            label: "First picture",
            value: formatMs(turn?.first_frame_ms ?? null),
            hint: "From the message to the first picture of the moving mouth",
          },
          {
            id: "spoken",
            label: "After your words",
            value: formatMs(spokenMs),
            hint: "From the end of what you said to the first sound of the answer",
          },
        ]}
      />
    </div>
  );
}
