import { ConnectionChip } from "../live/connection-chip.tsx";
import type { ConnectionState } from "../sdk/index.ts";
import { Wordmark } from "../ui/wordmark.tsx";

export interface TopBarProps {
  email: string;
  connection: ConnectionState;
  onSignOut(): void;
}

export function TopBar({ email, connection, onSignOut }: TopBarProps) {
  return (
    <header className="top-bar">
      <Wordmark />
      <ConnectionChip state={connection} />
      <span className="top-bar-gap" />
      <span className="top-bar-email">{email}</span>
      <button type="button" className="button button-quiet" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  );
}
