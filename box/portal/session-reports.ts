// What the portal hears of live sessions: that one began, what was said, that it ended, and what it took.
//
// A session that a crash has ended is reported at the next start: while one is live, a file says when it was last seen alive.

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  sessionReportSchema,
  usageReportSchema,
  type SessionReport,
  type UsageReport,
} from "../../contract/internal/sessions.ts";
import type { EndReason } from "../../contract/live.ts";
import type { LiveSession } from "../live/session.ts";
import type { NumberedLine } from "../live/transcript.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Portal } from "./portal.ts";

export type ReportedSession = Pick<
  LiveSession,
  "account" | "kind" | "avatar" | "startedAt" | "turns" | "facts" | "room"
> & { id: string };

/** Ids that a meeting's usage record carries. */
type Labels = UsageReport["labels"];

export interface SessionReportsOptions {
  portal: Pick<Portal, "reportSession" | "reportTranscript" | "reportUsage" | "synced">;
  /** Where it says which sessions are live; null: nowhere, as where nobody would be told. */
  dir: string | null;
  log: Log;
  /** How often it is written down that a session lives. */
  seenEveryMs?: number;
}

interface Live {
  session: ReportedSession;
  startedAtMs: number;
}

const markSchema = z.object({
  report: sessionReportSchema,
  seen_at: z.int(),
  labels: usageReportSchema.shape.labels,
});

const nowSeconds = () => Math.floor(Date.now() / 1000);

export class SessionReports {
  readonly #options: SessionReportsOptions;
  readonly #live = new Map<string, Live>();
  readonly #timer: NodeJS.Timeout | undefined;
  /** Marks are written and removed one after another. */
  #writing: Promise<void> = Promise.resolve();
  #failing = false;
  /** Sessions that ended while the disk did not take it. */
  readonly #unwritten = new Set<string>();

  /** Reports at once what a crash has left. */
  constructor(options: SessionReportsOptions) {
    this.#options = options;
    if (options.dir === null) return;
    this.#recover(options.dir);
    this.#timer = setInterval(() => {
      for (const { session } of this.#live.values()) this.#mark(session);
      for (const id of this.#unwritten) this.#unmark(id);
    }, options.seenEveryMs ?? 5_000);
    this.#timer.unref();
  }

  began(session: ReportedSession): void {
    this.#live.set(session.id, { session, startedAtMs: performance.now() });
    this.#options.portal.reportSession(reportOf(session, null));
    this.#mark(session);
  }

  line({ id, account }: ReportedSession, line: NumberedLine): void {
    this.#options.portal.reportTranscript({ session_id: id, account, lines: [line] });
  }

  ended(session: ReportedSession, reason: EndReason): void {
    const live = this.#live.get(session.id);
    this.#live.delete(session.id);
    const seconds = live ? (performance.now() - live.startedAtMs) / 1000 : 0;
    const report = reportOf(session, { at: nowSeconds(), reason });
    this.#end(report, Math.round(seconds * 1000) / 1000, labelsOf(session));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
  }

  #end(report: SessionReport, seconds: number, labels: Labels): void {
    const { portal } = this.#options;
    const { session_id: id, account, kind, turns, ended_at: at } = report;
    portal.reportSession(report);
    portal.reportUsage({
      usage_id: `session-${id}`,
      account,
      session_id: id,
      kind: kind === "room" ? "room" : "session",
      seconds,
      turns,
      at: at ?? nowSeconds(),
      labels,
    });
    this.#unmark(id);
  }

  /** Gone before its end is written down, it would never be told. */
  #unmark(id: string): void {
    this.#write(async (dir) => {
      this.#unwritten.add(id);
      if (!(await this.#options.portal.synced())) return;
      await rm(join(dir, `${id}.json`), { force: true });
      this.#unwritten.delete(id);
    });
  }

  #mark(session: ReportedSession): void {
    const mark = { report: reportOf(session, null), seen_at: nowSeconds(), labels: labelsOf(session) };
    this.#write(async (dir) => {
      if (!this.#live.has(session.id)) return;
      const partial = join(dir, `.${session.id}.part`);
      await writeFile(partial, JSON.stringify(mark), { mode: 0o600 });
      await rename(partial, join(dir, `${session.id}.json`));
    });
  }

  #write(write: (dir: string) => Promise<void>): void {
    const { dir, log } = this.#options;
    if (dir === null) return;
    const before = this.#writing;
    this.#writing = (async () => {
      await before;
      try {
        await write(dir);
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) log.warn(describeError(error), "that a session lives could not be written down");
        this.#failing = true;
      }
    })();
  }

  #recover(dir: string): void {
    const { log } = this.#options;
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(dir)) {
        const mark = name.endsWith(".json") ? readMark(join(dir, name)) : null;
        if (mark === "unreadable") continue;
        if (!mark) {
          rmSync(join(dir, name), { force: true, recursive: true });
          continue;
        }
        const { report, seen_at: seenAt, labels } = mark;
        const endedAt = Math.max(seenAt, report.started_at);
        log.warn({ session: report.session_id }, "a session was lost when the box ended without a word");
        this.#end({ ...report, ended_at: endedAt, end_reason: "lost" }, endedAt - report.started_at, labels);
      }
    } catch (error) {
      log.warn(describeError(error), "sessions of before could not be looked up");
    }
  }
}

const labelsOf = ({ room }: ReportedSession): Labels => ({ ...room?.labels });

function reportOf(session: ReportedSession, end: { at: number; reason: EndReason } | null): SessionReport {
  return {
    session_id: session.id,
    account: session.account,
    kind: session.kind,
    avatar_id: session.avatar.id,
    started_at: session.startedAt,
    turns: session.turns,
    ...session.facts,
    ended_at: end?.at ?? null,
    end_reason: end?.reason ?? null,
  };
}

/** Null where nothing is in it; what the disk does not give away now it may at the next start. */
function readMark(path: string): z.infer<typeof markSchema> | "unreadable" | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return "unreadable";
  }
  try {
    return markSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
