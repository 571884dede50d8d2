// Records as the portal answers them, for tests.

import type { SessionRow } from "../../../contract/sessions.ts";

export function sessionRow(id: string, parts: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    title: "",
    preview: "Hello there",
    avatar_id: "maya",
    started_at: 1_700_000_000,
    ended_at: 1_700_000_300,
    duration_seconds: 300,
    turns: 4,
    has_recording: false,
    starred: false,
    tags: [],
    kind: "studio",
    end_reason: "disconnected",
    model: "rehearsal",
    voice: "local/en",
    persona: "You are a friendly person",
    notes: "",
    ...parts,
  };
}
