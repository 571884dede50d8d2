// What a box asks of the always-on plane. Wired to one it goes over HTTP, alone it stays in memory.

import type { AvatarReport } from "../../contract/internal/avatars.ts";
import type { SessionReport, TranscriptReport } from "../../contract/internal/sessions.ts";
import type { SettingsPatch, SettingsRead, Settings } from "../../contract/settings.ts";

export type SettingsSaved = { ok: true; saved: boolean; settings: Settings } | { ok: false; message: string };

export interface Portal {
  /** The account's effective settings; a recent copy will do. */
  settings(account: string): Promise<SettingsRead>;
  /** Rejects with Refusal `settings_unavailable` when the portal does not answer. */
  saveSettings(account: string, patch: SettingsPatch): Promise<SettingsSaved>;
  /**
   * Reports are delivered in order, again and again until they are accepted. `onKept` hears why an avatar is not in the
   * library; the note is empty when it is.
   */
  reportAvatar(report: AvatarReport, onKept?: (registryNote: string) => void): void;
  reportSession(report: SessionReport): void;
  reportTranscript(report: TranscriptReport): void;
  close(): Promise<void>;
}
