// Reports on their way to the portal. Each is kept on disk until the portal has it, and a box that starts goes on where the one
// before it ended, however it ended.

import { join } from "node:path";
import { z } from "zod";
import { describeError, type Log } from "../ops/log.ts";
import { Journal } from "./journal.ts";
import { ReportQueue, type Report } from "./reports.ts";
import { clearSetAside, setAside } from "./set-aside.ts";

/** An hour of conversation is some hundred reports; what nobody takes for days is given up in the end. */
const capacity = 20_000;
const sizeMax = 32 * 1024 * 1024;
/** With the waits between them some twenty minutes. */
const mostFaults = 30;

export interface OutboxOptions {
  /** Null: reports are kept in memory only. */
  dir: string | null;
  /** Rejects when the report has to be sent again. */
  deliver(report: Report): Promise<void>;
  log: Log;
  /** Whether the portal fails at this very report. So many times in a row, and it makes way for the others. Default: never. */
  isFault?(error: unknown): boolean;
  mostFaults?: number;
  /** The first wait after a failure; it doubles up to a minute. */
  retryMs?: number;
  capacity?: number;
  sizeMax?: number;
  fileBytes?: number;
}

interface Kept {
  number: number;
  report: Report;
  size: number;
  faults: number;
}

const storedSchema = z.object({ path: z.string(), body: z.unknown() });

export class Outbox {
  readonly #log: Log;
  readonly #journal: Journal | null;
  readonly #asideDir: string | null;
  readonly #queue: ReportQueue<Kept>;
  #next: number;
  #failing = false;
  #givenUp = false;

  constructor(options: OutboxOptions) {
    const { dir, log, deliver, fileBytes } = options;
    this.#log = log;
    const opened = dir === null ? null : Journal.open({ dir, log, ...(fileBytes && { fileBytes }) });
    this.#journal = opened?.journal ?? null;
    this.#asideDir = dir === null ? null : join(dir, "set-aside");
    if (this.#asideDir !== null) void clearSetAside(this.#asideDir);
    const entries = opened?.entries ?? [];
    this.#next = (entries.at(-1)?.number ?? this.#journal?.lastTaken ?? 0) + 1;
    this.#queue = new ReportQueue<Kept>({
      capacity: options.capacity ?? capacity,
      sizeMax: options.sizeMax ?? sizeMax,
      sizeOf: ({ size }) => size,
      ...(options.retryMs !== undefined && { retryMs: options.retryMs }),
      deliver: async (kept) => {
        try {
          await deliver(kept.report);
        } catch (error) {
          if (!options.isFault?.(error)) throw error;
          kept.faults++;
          if (kept.faults < (options.mostFaults ?? mostFaults)) throw error;
          await this.#setAside(kept, error);
          return;
        }
        if (this.#failing) log.info("reports reach the portal again");
        this.#failing = false;
      },
      onFailure: (error) => {
        // One line for a lapse, however long it lasts.
        if (!this.#failing) log.warn(describeError(error), "reports do not reach the portal; they are kept");
        this.#failing = true;
      },
      onGone: ({ number, report }, why) => {
        this.#journal?.take(number);
        if (why === "given_up") this.#gaveUp(report);
        else this.#givenUp = false;
      },
    });
    for (const { number, text } of entries) {
      const stored = storedSchema.safeParse(parsed(text));
      if (stored.success) this.#queue.add({ number, report: stored.data, size: text.length, faults: 0 });
    }
    if (entries.length > 0) log.info({ reports: entries.length }, "reports of before are on their way");
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Takes no time: whoever reports does not wait for the disk, nor for the portal. */
  add(report: Report): void {
    const text = JSON.stringify({ path: report.path, body: report.body });
    const number = this.#next++;
    this.#journal?.append({ number, text });
    this.#queue.add({ number, report, size: text.length, faults: 0 });
  }

  /** Resolves once everything reported so far was taken, refused for good, or given up. */
  passed(): Promise<void> {
    return this.#queue.passed();
  }

  /** Resolves once everything reported so far outlives the process; to false where it does not. */
  async synced(): Promise<boolean> {
    return this.#journal ? this.#journal.synced() : this.#queue.length === 0;
  }

  /** Tries once more; what is left waits on disk for the next start. */
  async close(): Promise<void> {
    await this.#queue.close();
    await this.#journal?.close();
  }

  async #setAside({ number, report }: Kept, error: unknown): Promise<void> {
    const text = JSON.stringify({ path: report.path, body: report.body });
    let kept = false;
    try {
      if (this.#asideDir !== null) await setAside(this.#asideDir, { number, text });
      kept = this.#asideDir !== null;
    } catch {
      // The disk is full, or gone: the others still have their way.
    }
    this.#log.error(
      { path: report.path, kept, ...describeError(error) },
      "the portal fails at a report, which makes way for the others",
    );
  }

  #gaveUp({ path }: Report): void {
    if (!this.#givenUp)
      this.#log.warn({ path }, "too many reports wait for the portal; the oldest are given up");
    this.#givenUp = true;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
