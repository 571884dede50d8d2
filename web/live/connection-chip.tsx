import type { ConnectionState } from "../sdk/index.ts";

const words: Record<ConnectionState, string> = {
  idle: "Off air",
  connecting: "Connecting…",
  connected: "Live",
  reconnecting: "Reconnecting…",
  closed: "Off air",
};

export function ConnectionChip({ state }: { state: ConnectionState }) {
  return (
    <span className={`chip chip-${state}`} role="status" data-testid="connection-state" data-state={state}>
      <span className="chip-dot" aria-hidden="true" />
      {words[state]}
    </span>
  );
}
