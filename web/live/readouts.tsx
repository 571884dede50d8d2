// How well the stream is doing, in four figures.

import type { StreamStats } from "../sdk/index.ts";
import { formatFps, formatMs } from "./figures.ts";
import "./readouts.css";

export interface ReadoutsProps {
  stats: StreamStats | null;
  firstFrameMs: number | null;
  firstAudioMs: number | null;
}

export function Readouts({ stats, firstFrameMs, firstAudioMs }: ReadoutsProps) {
  const figures = [
    { id: "fps", label: "Frame rate", value: formatFps(stats?.fps ?? null) },
    { id: "rtt", label: "Round trip", value: formatMs(stats?.rttMs ?? null) },
    { id: "first-frame", label: "First frame", value: formatMs(firstFrameMs) },
    { id: "first-audio", label: "First sound", value: formatMs(firstAudioMs) },
  ];
  return (
    <dl className="readouts" aria-label="Quality of the stream">
      {figures.map((figure) => (
        <div key={figure.id}>
          <dt>{figure.label}</dt>
          <dd data-testid={`readout-${figure.id}`}>{figure.value}</dd>
        </div>
      ))}
    </dl>
  );
}
