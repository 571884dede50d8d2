// What must outlive the process, on disk: entries appended in order, and removed once they have been taken.
//
// Files hold a line an entry: a checksum, and JSON. Every line begins on a line of its own, so what a crash or a full disk has
// cut short spoils nothing but itself.

import { chmodSync, mkdirSync, readFileSync, readdirSync, renameSync } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describeError, type Log } from "../ops/log.ts";

export interface JournalEntry {
  number: number;
  /** Of the entry, as JSON. */
  text: string;
}

export interface JournalOptions {
  dir: string;
  log: Log;
  /** A file is left for the next one past this size: entries that were taken stay on disk no longer than their file. */
  fileBytes?: number;
  /** Between tries while the disk takes nothing. */
  retryMs?: number;
}

interface OpenFile {
  handle: FileHandle;
  path: string;
  bytes: number;
  last: number;
}

interface Segment {
  path: string;
  last: number;
}

const suffix = ".journal";

export class Journal {
  readonly #options: JournalOptions;
  readonly #fileBytes: number;
  /** Files that are not written to any more. */
  #segments: Segment[] = [];
  #file: OpenFile | null = null;
  /** Not on disk yet. */
  #waiting: JournalEntry[] = [];
  /** Everything up to this number was taken. */
  #taken = 0;
  #nextFile = 1;
  #takenOnDisk = 0;
  #working: Promise<void> | null = null;
  #again = false;
  #failing = false;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: JournalOptions) {
    this.#options = options;
    this.#fileBytes = options.fileBytes ?? 64 * 1024;
  }

  /** Opens a journal and reads what is in it. Never throws: what cannot be read is passed over, and said so once. */
  static open(options: JournalOptions): { journal: Journal; entries: JournalEntry[] } {
    const journal = new Journal(options);
    return { journal, entries: journal.#read() };
  }

  /** Number of the last entry that was taken, as far as it is known. */
  get lastTaken(): number {
    return this.#taken;
  }

  /** An entry's number is larger than that of the one before. */
  append(entry: JournalEntry): void {
    this.#waiting.push(entry);
    this.#work();
  }

  /** Everything up to this number is of no use any more. */
  take(number: number): void {
    if (number <= this.#taken) return;
    this.#taken = number;
    this.#waiting = this.#waiting.filter((entry) => entry.number > number);
    this.#work();
  }

  /** Resolves once everything appended so far is on disk, or the disk does not take it: false. */
  async synced(): Promise<boolean> {
    while (this.#working) await this.#working;
    return this.#waiting.length === 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.synced();
    if (this.#waiting.length > 0) await this.#step().catch(() => undefined);
    const file = this.#file;
    this.#file = null;
    await file?.handle.close().catch(() => undefined);
    if (file?.bytes === 0) await rm(file.path, { force: true }).catch(() => undefined);
  }

  #read(): JournalEntry[] {
    const { dir, log } = this.#options;
    const entries: JournalEntry[] = [];
    let [taken, spoilt] = [0, 0];
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      chmodSync(dir, 0o700);
      const names = readdirSync(dir).filter((name) => name.endsWith(suffix));
      for (const name of names.toSorted()) {
        const path = join(dir, name);
        let last = 0;
        this.#nextFile = Math.max(this.#nextFile, Number.parseInt(name, 10) + 1 || 0);
        const lines = readLines(path, log);
        if (!lines) continue;
        for (const line of lines) {
          const read = parseLine(line);
          if (!read) spoilt++;
          else if (read.case === "taken") taken = Math.max(taken, read.number);
          else entries.push({ number: read.number, text: read.text });
          last = Math.max(last, read?.number ?? 0);
        }
        this.#segments.push({ path, last });
      }
    } catch (error) {
      log.warn(describeError(error), "reports of before could not be read");
    }
    if (spoilt > 0) log.warn({ entries: spoilt }, "a journal was cut short; what was spoilt is passed over");
    this.#taken = taken;
    this.#takenOnDisk = taken;
    this.#work();
    return entries
      .filter(({ number }) => number > taken)
      .toSorted((a, b) => a.number - b.number)
      .filter(({ number }, at, all) => number !== all[at - 1]?.number);
  }

  #work(): void {
    if (this.#working) {
      this.#again = true;
      return;
    }
    if (this.#closed || this.#retry !== undefined) return;
    this.#working = this.#run().finally(() => {
      this.#working = null;
      if (this.#again) this.#work();
    });
  }

  async #run(): Promise<void> {
    const { log, retryMs = 5_000 } = this.#options;
    do {
      this.#again = false;
      try {
        await this.#step();
        if (this.#failing) log.info("the disk takes reports again");
        this.#failing = false;
      } catch (error) {
        // One line for a lapse, however long it lasts: nothing is lost as long as the process lives.
        if (!this.#failing)
          log.warn(describeError(error), "reports stay in memory: the disk does not take them");
        this.#failing = true;
        if (this.#closed) return;
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#work();
        }, retryMs);
        this.#retry.unref();
        return;
      }
    } while (this.#again);
  }

  /** Writes what waits, in one piece, and clears away what was taken. */
  async #step(): Promise<void> {
    await this.#clear();
    if (this.#waiting.length > 0) {
      const file = (this.#file ??= await this.#create());
      // More may come while these are written.
      const entries = [...this.#waiting];
      const bytes = Buffer.from(entries.map(({ number, text }) => lineOf(`${number} ${text}`)).join(""));
      // Counted first: a file that was written in part is not empty.
      file.bytes += bytes.length;
      await file.handle.appendFile(bytes);
      await file.handle.datasync();
      const last = entries.at(-1)?.number ?? 0;
      file.last = last;
      this.#waiting = this.#waiting.filter(({ number }) => number > last);
    } else if (this.#takenOnDisk < this.#taken && this.#holds) {
      const file = (this.#file ??= await this.#create());
      // Lost in a crash it costs a repetition, so nobody waits for it to be on the disk.
      const [taken, bytes] = [this.#taken, Buffer.from(lineOf(`${this.#taken}`))];
      file.bytes += bytes.length;
      await file.handle.appendFile(bytes);
      this.#takenOnDisk = taken;
    }
    if (this.#file && this.#file.bytes > this.#fileBytes) {
      const { handle, path, last } = this.#file;
      this.#file = null;
      this.#segments.push({ path, last });
      await handle.close();
    }
  }

  /** Some entries are on disk. */
  get #holds(): boolean {
    return this.#segments.length > 0 || (this.#file?.bytes ?? 0) > 0;
  }

  async #clear(): Promise<void> {
    const gone = this.#segments.filter(({ last }) => last <= this.#taken);
    for (const { path } of gone) {
      await rm(path, { force: true });
      this.#segments = this.#segments.filter((segment) => segment.path !== path);
    }
    const file = this.#file;
    if (!file || file.bytes === 0 || file.last > this.#taken) return;
    await file.handle.truncate(0);
    file.bytes = 0;
    this.#takenOnDisk = this.#taken;
  }

  async #create(): Promise<OpenFile> {
    const path = join(this.#options.dir, String(this.#nextFile).padStart(15, "0") + suffix);
    const handle = await open(path, "a", 0o600);
    try {
      const folder = await open(this.#options.dir, "r");
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#nextFile++;
    return { handle, path, bytes: 0, last: 0 };
  }
}

/** Checked as a whole, so that no line is half believed. */
function lineOf(text: string): string {
  return `\n${crc32(text).toString(16).padStart(8, "0")} ${text}\n`;
}

type Line = { case: "entry"; number: number; text: string } | { case: "taken"; number: number };

function parseLine(line: string): Line | null {
  const text = line.slice(9);
  const read = /^(\d{1,15})(?: (.+))?$/.exec(text);
  if (!read || line.slice(0, 9) !== `${crc32(text).toString(16).padStart(8, "0")} `) return null;
  const number = Number(read[1]);
  return read[2] === undefined ? { case: "taken", number } : { case: "entry", number, text: read[2] };
}

/** Null when the disk does not give the file away; it is then out of the way, for a person to look at. */
function readLines(path: string, log: Log): string[] | null {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (error) {
    log.error({ path, ...describeError(error) }, "a journal could not be read; it is left beside the others");
    try {
      // Entries of the same numbers may be written before it can be read again.
      renameSync(path, `${path}.unreadable`);
    } catch {
      // It stays where it is.
    }
    return null;
  }
}
