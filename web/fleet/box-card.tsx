// One box: what it does, where, and what may be ordered.

import type { ReactNode } from "react";
import type { FleetRow } from "../../contract/fleet.ts";
import { Badge } from "../ui/badge.tsx";
import type { BoxOrder } from "./fleet-store.ts";

const states: Record<FleetRow["state"], { label: string; tone: "good" | "accent" | "wait" }> = {
  free: { label: "Free", tone: "good" },
  busy: { label: "In session", tone: "accent" },
  draining: { label: "Draining", tone: "wait" },
};

/** "3 s ago" while it matters to the second, then coarser. */
export function heartbeatAge(seconds: number): string {
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export interface BoxCardProps {
  box: FleetRow;
  canStop: boolean;
  onOrder(order: BoxOrder): void;
}

export function BoxCard({ box, canStop, onOrder }: BoxCardProps) {
  const state = states[box.state];
  return (
    <li className={box.fresh ? "box-card" : "box-card box-card-stale"}>
      <div className="box-head">
        <h2>{box.box_id}</h2>
        {/* What a silent box did last is no news of what it does now. */}
        {box.fresh ? <Badge tone={state.tone}>{state.label}</Badge> : <Badge tone="bad">No heartbeat</Badge>}
        {box.leased && <Badge>Leased</Badge>}
        {box.drained && box.state !== "draining" && <Badge tone="wait">Drain ordered</Badge>}
        <div className="box-actions">
          {box.drained ? (
            <button
              type="button"
              className="button button-quiet"
              aria-label={`Undrain ${box.box_id}`}
              onClick={() => onOrder("undrain")}
            >
              Undrain
            </button>
          ) : (
            <button
              type="button"
              className="button button-quiet"
              aria-label={`Drain ${box.box_id}`}
              onClick={() => onOrder("drain")}
            >
              Drain
            </button>
          )}
          <button
            type="button"
            className="button button-quiet"
            aria-label={`Stop ${box.box_id}`}
            disabled={!canStop}
            onClick={() => onOrder("stop")}
          >
            Stop
          </button>
        </div>
      </div>
      <dl className="box-facts">
        <Fact term="Heartbeat">{heartbeatAge(box.heartbeat_age_seconds)}</Fact>
        <Fact term="Region">{box.region || "not said"}</Fact>
        <Fact term="Build">
          {box.build.known ? <span className="code">{box.build.short_commit}</span> : "unknown"}
        </Fact>
        <Fact term="Sessions at once">{box.capacity}</Fact>
        <Fact term="Room">{box.room ?? "none"}</Fact>
        <Fact term="Warm avatars">
          {box.avatars_warm.length === 0 ? "none" : box.avatars_warm.join(", ")}
        </Fact>
        <Fact term="Address">{box.public_url || "not said"}</Fact>
      </dl>
    </li>
  );
}
