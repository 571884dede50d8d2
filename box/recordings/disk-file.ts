// A file that is written while a session runs: writing takes no time of whoever has something to write.

import { open, type FileHandle } from "node:fs/promises";

/** What waits for the disk at most: some seconds of picture. Past it the disk is too slow. */
const mostWaiting = 16 * 1024 * 1024;

export class DiskTooSlow extends Error {
  constructor() {
    super("The disk does not keep up.");
    this.name = "DiskTooSlow";
  }
}

export interface DiskFileOptions {
  path: string;
  /** Nothing more is written; what was written stays. */
  onFailed(error: unknown): void;
  mostWaiting?: number;
  /** Opens the file; tests put a slow or a full disk in its place. */
  openFile?: (path: string) => Promise<Pick<FileHandle, "write" | "datasync" | "close">>;
}

interface Piece {
  bytes: Uint8Array;
  position: number;
}

const openNew = (path: string) => open(path, "wx", 0o600);

export class DiskFile {
  readonly #options: DiskFileOptions;
  #pieces: Piece[] = [];
  #waiting = 0;
  #size = 0;
  #working: Promise<void> | null = null;
  #file: Pick<FileHandle, "write" | "datasync" | "close"> | null = null;
  #failed = false;
  #ended = false;

  constructor(options: DiskFileOptions) {
    this.#options = options;
  }

  /** How long the file is, or will be. */
  get size(): number {
    return this.#size;
  }

  /** The bytes are not to change any more. `position` left out: behind all others. Between pieces there may be holes. */
  write(bytes: Uint8Array, position = this.#size): void {
    if (this.#failed || this.#ended || bytes.length === 0) return;
    this.#waiting += bytes.length;
    if (this.#waiting > (this.#options.mostWaiting ?? mostWaiting)) {
      this.#fail(new DiskTooSlow());
      return;
    }
    this.#pieces.push({ bytes, position });
    this.#size = Math.max(this.#size, position + bytes.length);
    this.#working ??= this.#work();
  }

  /** Everything that was taken is on disk then, or cannot be. Never rejects. */
  async end(): Promise<void> {
    this.#ended = true;
    while (this.#working) await this.#working;
    const file = this.#file;
    this.#file = null;
    try {
      if (!this.#failed) await file?.datasync();
    } catch (error) {
      this.#fail(error);
    } finally {
      await file?.close().catch(() => undefined);
    }
  }

  async #work(): Promise<void> {
    try {
      this.#file ??= await (this.#options.openFile ?? openNew)(this.#options.path);
      while (this.#pieces.length > 0 && !this.#failed) {
        const { bytes, position } = this.#next();
        for (let done = 0; done < bytes.length;) {
          const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, position + done);
          done += bytesWritten;
        }
        this.#waiting -= bytes.length;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#working = null;
    }
  }

  /** Pieces that follow one another are one write. */
  #next(): Piece {
    const [first = { bytes: new Uint8Array(), position: 0 }] = this.#pieces;
    let [count, end] = [1, first.position + first.bytes.length];
    for (; this.#pieces[count]?.position === end; count++) end += this.#pieces[count]?.bytes.length ?? 0;
    const together = this.#pieces.splice(0, count);
    if (count === 1) return first;
    return { bytes: Buffer.concat(together.map(({ bytes }) => bytes)), position: first.position };
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#pieces = [];
    this.#options.onFailed(error);
  }
}
