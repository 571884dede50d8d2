// A session's values as people read them.

import type { EndReason, SessionKind } from "../../contract/live.ts";
import type { SessionRow } from "../../contract/sessions.ts";
import type { SessionErasure } from "./sessions-api.ts";

export const kindWords: Record<SessionKind, string> = { studio: "Studio", api: "API", room: "Room" };

export const endWords: Record<EndReason, string> = {
  disconnected: "Ended by the caller",
  replaced: "Opened somewhere else",
  idle: "Nobody spoke",
  max_length: "Time was up",
  persona: "Ended by the persona",
  box_shutdown: "The box shut down",
  lost: "The connection was lost",
};

export const artefactWords: Record<SessionErasure["done"][number], string> = {
  transcript: "Transcript",
  summary: "Summary",
  recording: "Recording",
  recording_consent: "Consent to the recording",
  session: "The entry in this list",
};

/** What a session is called: its title, else the first words that were said. */
export function sessionName({ title, preview }: Pick<SessionRow, "title" | "preview">): string {
  return title.trim() || preview.trim() || "Nothing was said";
}
