// A portal with its storage, as far as boxes see them: it keeps what it is told, may go away, and comes back on the same port.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  recordingDoneSchema,
  recordingRequestSchema,
  sessionReportSchema,
  transcriptReportSchema,
  usageReportSchema,
  type RecordingRequest,
  type SessionReport,
  type UsageReport,
} from "../../contract/internal/sessions.ts";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import type { VoiceAccount } from "../../contract/internal/voices.ts";
import { defaultSettings, type Settings } from "../../contract/settings.ts";
import { digestOf } from "../access/caller.ts";
import { settingsRead } from "../portal/standalone.ts";

export const portalKey = `vv_live_${"p".repeat(43)}`;
export const portalAccount = "someone@example.org";
const models = modelCatalogue({ anthropic: false, residencyOptIn: [] });

export interface StoredRecording {
  request: RecordingRequest;
  bytes: Buffer | null;
  contentType: string;
  done: boolean;
}

export class FakePortal {
  readonly sessions = new Map<string, SessionReport>();
  /** Of every session, by their places. */
  readonly lines = new Map<string, Map<number, string>>();
  readonly usage = new Map<string, UsageReport>();
  readonly recordings = new Map<string, StoredRecording>();
  /** Paths asked for, in order. */
  readonly asked: string[] = [];
  /** Answers nobody: connections break. */
  away = false;
  /** The storage answers 503 to a PUT. */
  storageDown = false;
  /** What differs from the usual settings. */
  settings: Partial<Settings> = {};
  /** How its caller speaks; null: it cannot say. */
  voices: VoiceAccount | null = null;
  terms = { version: "2026-11-20", text: "Recording a session", digest: "" };
  /** Terms there were before. */
  readonly #earlier: string[] = [];
  /** In place of a grant: status and body. */
  grantAnswer: [number, unknown] | null = null;
  readonly #server: Server;

  private constructor() {
    this.changeTerms("2026-11-20");
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(): Promise<FakePortal> {
    const portal = new FakePortal();
    await new Promise<void>((resolve) => {
      portal.#server.listen(0, "127.0.0.1", resolve);
    });
    return portal;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For a box of this portal. */
  get environment(): Record<string, string> {
    return { PORTAL_URL: this.url, BOX_SECRET: "secret-of-this-box" };
  }

  changeTerms(version: string): void {
    this.#earlier.push(this.terms.digest);
    const text = `Recording a session, as of ${version}`;
    this.terms = { version, text, digest: createHash("sha256").update(text).digest("hex") };
  }

  /** Where an owner erased a session, it is not known any more. */
  erase(sessionId: string): void {
    this.sessions.delete(sessionId);
    this.recordings.delete(sessionId);
  }

  words(sessionId: string): string[] {
    const lines = [...(this.lines.get(sessionId) ?? [])];
    return lines.toSorted(([a], [b]) => a - b).map(([, words]) => words);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    if (this.away) {
      request.socket.destroy();
      return;
    }
    const path = request.url ?? "";
    this.asked.push(path);
    const body = Buffer.concat(chunks);
    let [status, answer]: [number, unknown] = [500, {}];
    try {
      [status, answer] =
        request.method === "PUT"
          ? this.#put(path, request.headers["content-type"] ?? "", body)
          : this.#answer(path, body.length > 0 ? JSON.parse(body.toString()) : {});
    } catch (error) {
      // A body that the contract does not allow.
      [status, answer] = [400, { error: { code: "invalid_body", message: String(error) } }];
    }
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer));
  }

  #put(path: string, contentType: string, bytes: Buffer): [number, unknown] {
    const recording = this.recordings.get(path.replace("/storage/", ""));
    if (this.storageDown || !recording) return [this.storageDown ? 503 : 403, {}];
    Object.assign(recording, { bytes, contentType });
    return [200, {}];
  }

  #answer(path: string, body: unknown): [number, unknown] {
    const missing: [number, unknown] = [404, { error: { code: "session_not_found", message: "No." } }];
    const kept: [number, unknown] = [200, { ok: true }];
    switch (path) {
      case "/internal/heartbeat":
        return [200, { drain: false, revoked: [], revocations_seen: 1 }];
      case "/internal/credentials/lookup": {
        const known = (body as { digest: string }).digest === digestOf(portalKey);
        const credential = {
          digest: digestOf(portalKey),
          kind: "key",
          scope: "full",
          account: portalAccount,
          expires_at: null,
        };
        return [200, { credential: known ? credential : null }];
      }
      case "/internal/settings/read":
        return [200, settingsRead({ ...defaultSettings(models), ...this.settings }, models, true)];
      case "/internal/voices/account":
        return this.voices
          ? [200, this.voices]
          : [503, { error: { code: "vault_unavailable", message: "No." } }];
      case "/internal/sessions/report": {
        const report = sessionReportSchema.parse(body);
        const before = this.sessions.get(report.session_id);
        const over = before?.ended_at != null && before.end_reason !== "lost";
        if (!over) this.sessions.set(report.session_id, report);
        return kept;
      }
      case "/internal/sessions/transcript": {
        const { session_id: id, lines } = transcriptReportSchema.parse(body);
        if (!this.sessions.has(id)) return missing;
        const known = this.lines.get(id) ?? new Map<number, string>();
        for (const line of lines) known.set(line.index, `${line.role}: ${line.content}`);
        this.lines.set(id, known);
        return kept;
      }
      case "/internal/usage": {
        const report = usageReportSchema.parse(body);
        if (!this.usage.has(report.usage_id)) this.usage.set(report.usage_id, report);
        return kept;
      }
      case "/auth/recordings/terms":
        return [200, this.terms];
      case "/internal/sessions/recording": {
        const request = recordingRequestSchema.parse(body);
        if (this.grantAnswer) return this.grantAnswer;
        if (![this.terms.digest, ...this.#earlier].includes(request.consent.terms_digest))
          return [409, { error: { code: "terms_outdated", message: "No." } }];
        if (!this.sessions.has(request.session_id)) return missing;
        this.recordings.set(request.session_id, { request, bytes: null, contentType: "", done: false });
        const url = `${this.url}/storage/${request.session_id}`;
        return [200, { url, method: "PUT", headers: { "Content-Type": "video/mp4" }, expires_in: 900 }];
      }
      case "/internal/sessions/recording/done": {
        const recording = this.recordings.get(recordingDoneSchema.parse(body).session_id);
        if (!recording) return missing;
        if (recording.bytes?.length !== recording.request.size)
          return [404, { error: { code: "unknown_upload", message: "No." } }];
        recording.done = true;
        return kept;
      }
      default:
        return missing;
    }
  }
}
