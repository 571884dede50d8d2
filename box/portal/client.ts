// The portal over HTTP: `/internal/*` under the box's own secret.

import { z } from "zod";
import {
  archiveDoneAnswerSchema,
  archiveGrantSchema,
  type archiveRequestSchema,
  avatarReportAnswerSchema,
  erasuresAnswerSchema,
  erasuresDoneAnswerSchema,
  consentCheckAnswerSchema,
  uploadClaimAnswerSchema,
  type AvatarReport,
  type ClaimedUpload,
  type ClipReport,
} from "../../contract/internal/avatars.ts";
import {
  heartbeatAnswerSchema,
  lookupAnswerSchema,
  type Heartbeat,
  type HeartbeatAnswer,
  type LookupAnswer,
} from "../../contract/internal/boxes.ts";
import {
  keptAnswerSchema,
  recordingGrantSchema,
  sessionReportSchema,
  type RecordingDone,
  type RecordingRequest,
  type SessionReport,
  type TranscriptReport,
  type UsageReport,
} from "../../contract/internal/sessions.ts";
import { internalSettingsReadSchema } from "../../contract/internal/settings.ts";
import { errorStatus, structuredErrorSchema, type ErrorCode } from "../../contract/errors.ts";
import { voiceAccountSchema, type VoiceAccount } from "../../contract/internal/voices.ts";
import { recordingTermsSchema } from "../../contract/consents.ts";
import {
  defaultSettings,
  settingsRefusedSchema,
  settingsSavedSchema,
  type SettingsPatch,
  type SettingsRead,
} from "../../contract/settings.ts";
import type { ModelRow } from "../../contract/models.ts";
import type { PutGrant } from "../../contract/uploads.ts";
import { Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Portal, SettingsSaved } from "./portal.ts";
import { Outbox } from "./outbox.ts";
import { settingsRead } from "./standalone.ts";

const answerWithinMs = 5_000;
/** A box that ends has no time for a portal that hangs. */
const lastAnswerWithinMs = 1_500;
/** A copy this young is used without asking; an older one is used while the next is fetched. */
const settingsFreshMs = 5_000;
const settingsCapacity = 1_000;
const keptCapacity = 10_000;
const sessionReportPath = "/internal/sessions/report";

export interface PortalClientOptions {
  url: string;
  secret: string;
  /** The box's own catalogue, for as long as the portal has not answered once. */
  models: ModelRow[];
  /** And its voice engines. */
  ttsProviders?: SettingsRead["tts_providers"];
  /** Where reports wait for the portal; left out: in memory. */
  outboxDir?: string;
  log: Log;
}

export type ArchiveRequest = z.infer<typeof archiveRequestSchema>;
export type PendingErasure = z.infer<typeof erasuresAnswerSchema>["erasures"][number];

interface Copy {
  read: SettingsRead;
  fetchedAtMs: number;
}

/** Something answered with something else than 2xx. */
export class PortalError extends Error {
  readonly status: number;
  /** Null: it was not the portal that answered, or not of its own will. */
  readonly code: ErrorCode | null;

  constructor(path: string, status: number, body?: unknown) {
    super(`${path} answered ${status}`);
    this.name = "PortalError";
    this.status = status;
    this.code = codeOf(status, body);
  }

  /** The portal itself says no to this, and would say so again. A fault of its own, or an address it does not know, is none. */
  get refused(): boolean {
    return this.code !== null && this.status < 500 && !passing.has(this.status) && !strange.has(this.code);
  }

  /** It fails at this very thing, as far as one can tell from outside. */
  get stumbled(): boolean {
    return this.status === 500 || (this.code !== null && strange.has(this.code));
  }
}

const passing = new Set([401, 408, 429]);
const strange = new Set<ErrorCode>(["not_found", "method_not_allowed"]);

/** A proxy's page, or a service that is no portal, has no code of ours. */
function codeOf(status: number, body: unknown): ErrorCode | null {
  const read = structuredErrorSchema.safeParse(body);
  const code = read.success ? read.data.error.code : "";
  return isErrorCode(code) && errorStatus[code] === status ? code : null;
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorStatus, code);

export class PortalClient implements Portal {
  readonly #options: PortalClientOptions;
  readonly #settings = new Map<string, Copy>();
  readonly #fetching = new Map<string, Promise<SettingsRead>>();
  readonly #closing = new AbortController();
  readonly #reports: Outbox;
  /** Sessions of which the portal took a report, the latest. */
  readonly #kept = new Set<string>();
  #answerWithinMs = answerWithinMs;

  constructor(options: PortalClientOptions) {
    this.#options = options;
    this.#reports = new Outbox({
      dir: options.outboxDir ?? null,
      log: options.log,
      deliver: async ({ path, body, onAnswer }) => {
        const { status, body: answer } = await this.#post(path, body);
        // What the portal refuses once it refuses forever; whatever else is no yes is sent again.
        if (status < 200 || status > 299) {
          const error = new PortalError(path, status, answer);
          if (!error.refused) throw error;
          options.log.warn({ path, status, code: error.code }, "the portal refused a report");
          return;
        }
        this.#noteKept(path, body, answer);
        onAnswer?.(answer);
      },
      isFault: (error) => error instanceof PortalError && error.stumbled,
    });
  }

  /** Reports that the portal has not taken yet. */
  get reportsWaiting(): number {
    return this.#reports.length;
  }

  async lookup(digest: string): Promise<LookupAnswer["credential"]> {
    const answer = await this.#ask("/internal/credentials/lookup", { digest }, lookupAnswerSchema);
    return answer.credential;
  }

  heartbeat(heartbeat: Heartbeat): Promise<HeartbeatAnswer> {
    return this.#ask("/internal/heartbeat", heartbeat, heartbeatAnswerSchema);
  }

  async settings(account: string): Promise<SettingsRead> {
    const copy = this.#settings.get(account);
    if (copy && performance.now() - copy.fetchedAtMs < settingsFreshMs) return copy.read;
    const fetched = this.#fetchSettings(account);
    if (copy) {
      // A turn does not wait for the portal: it takes the last known settings.
      fetched.catch(() => undefined);
      return copy.read;
    }
    try {
      return await fetched;
    } catch {
      const { models, ttsProviders } = this.#options;
      return settingsRead(defaultSettings(models), models, false, ttsProviders);
    }
  }

  async saveSettings(account: string, patch: SettingsPatch): Promise<SettingsSaved> {
    const { status, body } = await this.#post("/internal/settings/save", { account, patch }).catch(
      (error: unknown) => {
        throw new Refusal("settings_unavailable", "The settings could not be saved just now.", {
          cause: error,
        });
      },
    );
    this.#settings.delete(account);
    if (status === 200) return settingsSavedSchema.parse(body);
    const refused = settingsRefusedSchema.safeParse(body);
    if (refused.success) return { ok: false, message: refused.data.error.message };
    throw new Refusal("settings_unavailable", "The settings could not be saved just now.");
  }

  reportAvatar(report: AvatarReport, onKept?: (registryNote: string) => void): void {
    this.#reports.add({
      path: "/internal/avatars/report",
      body: report,
      onAnswer: (body) => {
        const answer = avatarReportAnswerSchema.safeParse(body);
        if (answer.success) onKept?.(answer.data.registry_note);
      },
    });
  }

  /** Where to PUT files of an avatar's archive. Rejects with PortalError. */
  async grantArchive(request: ArchiveRequest): Promise<PutGrant[]> {
    return (await this.#ask("/internal/avatars/media", request, archiveGrantSchema)).files;
  }

  /** The files were PUT. Rejects with PortalError; a 400 says that one is not there as it was granted. */
  async closeArchive(request: ArchiveRequest): Promise<void> {
    await this.#ask("/internal/avatars/media/done", request, archiveDoneAnswerSchema);
  }

  async pendingErasures(weightsVolume: string): Promise<PendingErasure[]> {
    const body = { weights_volume: weightsVolume };
    return (await this.#ask("/internal/erasures/pending", body, erasuresAnswerSchema)).erasures;
  }

  async confirmErasures(weightsVolume: string, erasureIds: string[]): Promise<void> {
    const body = { weights_volume: weightsVolume, erasure_ids: erasureIds };
    await this.#ask("/internal/erasures/done", body, erasuresDoneAnswerSchema);
  }

  reportSession(report: SessionReport): void {
    this.#reports.add({ path: sessionReportPath, body: report });
  }

  reportTranscript(report: TranscriptReport): void {
    this.#reports.add({ path: "/internal/sessions/transcript", body: report });
  }

  reportClip(report: ClipReport, onKept?: () => void): void {
    this.#reports.add({ path: "/internal/avatars/clips", body: report, ...(onKept && { onAnswer: onKept }) });
  }

  reportUsage(report: UsageReport): void {
    this.#reports.add({ path: "/internal/usage", body: report });
  }

  reported(): Promise<void> {
    return this.#reports.passed();
  }

  sessionKept(sessionId: string): boolean {
    return this.#kept.has(sessionId);
  }

  synced(): Promise<boolean> {
    return this.#reports.synced();
  }

  voiceAccount(account: string): Promise<VoiceAccount> {
    return this.#ask("/internal/voices/account", { account }, voiceAccountSchema);
  }

  async claimUpload(account: string, uploadId: string): Promise<ClaimedUpload> {
    const unavailable = (cause?: unknown) =>
      new Refusal("uploads_unavailable", "The upload could not be fetched just now.", { cause });
    const body = { account, upload_id: uploadId };
    const { status, body: answer } = await this.#post("/internal/uploads/claim", body).catch((error) => {
      throw unavailable(error);
    });
    if (status === 404 || status === 400)
      throw new Refusal("unknown_upload", "There is no such upload, or its files have not all arrived.");
    const claimed = uploadClaimAnswerSchema.safeParse(answer);
    if (status !== 200 || !claimed.success) throw unavailable(claimed.error);
    return claimed.data;
  }

  async checkConsent(asked: { account: string; token: string; sha256: string }): Promise<boolean> {
    const { account, token, sha256 } = asked;
    const body = { account, consent_token: token, sha256 };
    return (await this.#ask("/internal/consents/check", body, consentCheckAnswerSchema)).agreed;
  }

  async recordingTerms(): Promise<{ version: string; digest: string }> {
    const response = await fetch(`${this.#options.url}/auth/recordings/terms`, {
      redirect: "error",
      signal: this.#patience(),
    });
    if (!response.ok) throw new PortalError("/auth/recordings/terms", response.status);
    const { version, digest } = recordingTermsSchema.parse(await response.json());
    return { version, digest };
  }

  grantRecording(request: RecordingRequest): Promise<PutGrant> {
    return this.#ask("/internal/sessions/recording", request, recordingGrantSchema);
  }

  async closeRecording(done: RecordingDone): Promise<void> {
    await this.#ask("/internal/sessions/recording/done", done, keptAnswerSchema);
  }

  /** The box is ending: from now on answers are waited for only shortly. */
  hurry(): void {
    this.#answerWithinMs = lastAnswerWithinMs;
  }

  /** Gives reports a last chance, then gives up on whatever is under way; reports that are left wait on disk. */
  async close(): Promise<void> {
    await this.#reports.close();
    this.#closing.abort();
  }

  #noteKept(path: string, body: unknown, answer: unknown): void {
    if (path !== sessionReportPath || !keptAnswerSchema.safeParse(answer).success) return;
    const report = sessionReportSchema.safeParse(body);
    if (!report.success) return;
    this.#kept.add(report.data.session_id);
    if (this.#kept.size > keptCapacity) this.#kept.delete(this.#kept.values().next().value ?? "");
  }

  #fetchSettings(account: string): Promise<SettingsRead> {
    const fetching = this.#fetching.get(account);
    if (fetching) return fetching;
    const fetched = this.#ask("/internal/settings/read", { account }, internalSettingsReadSchema)
      .then((read) => {
        this.#settings.delete(account);
        this.#settings.set(account, { read, fetchedAtMs: performance.now() });
        if (this.#settings.size > settingsCapacity)
          this.#settings.delete(this.#settings.keys().next().value ?? "");
        return read;
      })
      .catch((error: unknown) => {
        this.#options.log.warn(describeError(error), "settings could not be read from the portal");
        throw error;
      })
      .finally(() => this.#fetching.delete(account));
    this.#fetching.set(account, fetched);
    return fetched;
  }

  async #ask<Schema extends z.ZodType>(
    path: string,
    body: unknown,
    schema: Schema,
  ): Promise<z.infer<Schema>> {
    const answer = await this.#post(path, body);
    if (answer.status !== 200) throw new PortalError(path, answer.status, answer.body);
    return schema.parse(answer.body);
  }

  #patience(): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#answerWithinMs)]);
  }

  async #post(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(this.#options.url + path, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.#options.secret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: this.#patience(),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  }
}
