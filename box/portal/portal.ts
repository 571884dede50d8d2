// What a box asks of the always-on plane. Wired to one it goes over HTTP, alone it stays in memory.

import type { AvatarReport, ClaimedUpload, ClipReport } from "../../contract/internal/avatars.ts";
import type {
  RecordingDone,
  RecordingRequest,
  SessionReport,
  TranscriptReport,
  UsageReport,
} from "../../contract/internal/sessions.ts";
import type { VoiceAccount } from "../../contract/internal/voices.ts";
import type { SettingsPatch, SettingsRead, Settings } from "../../contract/settings.ts";
import type { PutGrant } from "../../contract/uploads.ts";

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
  /** The state of a tone's clip moved. `onKept` hears that the library holds its avatar. */
  reportClip(report: ClipReport, onKept?: () => void): void;
  reportUsage(report: UsageReport): void;
  /** Resolves once the portal has taken, or refused for good, everything reported so far. */
  reported(): Promise<void>;
  /** The portal has taken a report of this session since the box started. */
  sessionKept(sessionId: string): boolean;
  /** Resolves once everything reported so far would outlive the process, or to false where the disk does not take it. */
  synced(): Promise<boolean>;

  /**
   * How an account's sessions speak, with its provider keys in the clear: they stay in memory. Null where nobody keeps any:
   * a box alone. Rejects when the portal does not answer.
   */
  voiceAccount(account: string): Promise<VoiceAccount | null>;
  /** The files of an upload, once. Rejects with Refusal `unknown_upload` or `uploads_unavailable`. */
  claimUpload(account: string, uploadId: string): Promise<ClaimedUpload>;
  /**
   * Whether the account agreed to exactly these bytes under this token. A box alone keeps no ledger and takes any token as
   * its caller's word. Rejects when the portal does not answer.
   */
  checkConsent(asked: { account: string; token: string; sha256: string }): Promise<boolean>;
  /** The terms that a recording must name; null where sessions cannot be recorded. Rejects when the portal does not answer. */
  recordingTerms(): Promise<{ version: string; digest: string } | null>;
  /** Where to PUT a recording; asking again starts it over. Rejects with PortalError. */
  grantRecording(request: RecordingRequest): Promise<PutGrant>;
  /** It was PUT. Rejects with PortalError; `unknown_upload` says that it is not there as it was granted. */
  closeRecording(done: RecordingDone): Promise<void>;
  close(): Promise<void>;
}
