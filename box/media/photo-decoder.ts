// Hands photographs to processes that decode them, and believes nothing of what comes back before it has looked at it.

import type { ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Picture } from "./picture.ts";
import { MediaError } from "./media.ts";
import { checkPictureKind, MAX_KEPT_SIDE } from "./photo-decoding.ts";
import { SandboxClosed, type Sandbox } from "./sandbox.ts";

/** The largest photograph that is taken needs a second of a free core. */
const TIMEOUT_MS = 30_000;
/** V8 sets aside gigabytes that it never touches, so its data is what is limited in earnest. */
const LIMITS = {
  addressSpaceBytes: 6 * 2 ** 30,
  dataBytes: 1.5 * 2 ** 30,
  cpuSeconds: 60,
  fileBytes: 0,
  openFiles: 64,
};
/** A process is replaced after this many photographs, when it failed at one, and when it waited this long. */
const PICTURES_A_PROCESS = 20;
const IDLE_MS = 60_000;
const entry = fileURLToPath(new URL("photo-process.ts", import.meta.url));

const headerSchema = z.discriminatedUnion("case", [
  z.object({
    case: z.literal("picture"),
    width: z.int().min(1).max(MAX_KEPT_SIDE),
    height: z.int().min(1).max(MAX_KEPT_SIDE),
  }),
  z.object({
    case: z.literal("fault"),
    fault: z.enum(["unreadable", "unsupported", "too_large"]),
    message: z.string().max(200),
  }),
]);
const LONGEST_HEADER = 1_024;
const LARGEST_REPLY = 4 + LONGEST_HEADER + MAX_KEPT_SIDE * MAX_KEPT_SIDE * 3;

export class PhotoDecoder {
  readonly #sandbox: Sandbox;
  /** Started, loaded and waiting: the next photograph finds it ready. */
  #spare: PhotoProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async decode(bytes: Uint8Array, signal?: AbortSignal): Promise<Picture> {
    checkPictureKind(bytes);
    return this.#sandbox.enter(async () => {
      const worker = this.#take();
      try {
        const picture = await worker.decode(bytes, signal);
        this.#giveBack(worker);
        return picture;
      } catch (error) {
        if (error instanceof MediaError && worker.answers) {
          this.#giveBack(worker);
          throw error;
        }
        worker.end();
        await worker.ended;
        // The next one is started ahead of its photograph.
        this.#giveBack();
        throw this.#closed ? new SandboxClosed() : error;
      }
    }, signal);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#spare?.end();
    this.#spare = undefined;
  }

  #take(): PhotoProcess {
    clearTimeout(this.#idle);
    const spare = this.#spare;
    this.#spare = undefined;
    return spare?.usable ? spare : this.#start();
  }

  #giveBack(worker?: PhotoProcess): void {
    if (this.#closed || this.#spare) {
      worker?.end();
      return;
    }
    if (worker && !worker.usable) worker.end();
    this.#spare = worker?.usable ? worker : this.#start();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#spare?.end();
      this.#spare = undefined;
    }, IDLE_MS).unref();
  }

  #start(): PhotoProcess {
    const command = [
      process.execPath,
      "--max-old-space-size=128",
      "--disable-warning=ExperimentalWarning",
      entry,
    ] as const;
    return new PhotoProcess(
      this.#sandbox.start([...command], {
        limits: LIMITS,
        folder: tmpdir(),
        stdio: ["pipe", "pipe", "ignore"],
        // It becomes nobody's once it has loaded, since nobody may be unable to read our code.
        isOurs: true,
      }),
    );
  }
}

class PhotoProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #asked = 0;
  #answered = 0;
  #over = false;
  #job: { pieces: Buffer[]; size: number; check(): void; fail(error: Error): void } | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#unref();
    this.ended = new Promise((resolve) => {
      const onEnd = () => {
        this.#over = true;
        this.#job?.fail(
          new MediaError("unreadable", "The picture is damaged or incomplete and could not be decoded."),
        );
        resolve();
      };
      child.once("close", onEnd);
      child.once("error", onEnd);
    });
    // A process that dies in the middle of a picture says so by its end.
    child.stdin?.on("error", () => undefined);
    child.stdout?.on("data", (piece: Buffer) => {
      const job = this.#job;
      if (!job) return this.end();
      job.pieces.push(piece);
      job.size += piece.length;
      job.check();
    });
  }

  /** Whether it answered everything it was asked, and is there to be asked more. */
  get answers(): boolean {
    return !this.#over && this.#asked === this.#answered;
  }

  get usable(): boolean {
    return this.answers && this.#asked < PICTURES_A_PROCESS;
  }

  /** Only work keeps our own process alive, not one that waits for it. */
  #unref(on = false): void {
    const handles = [this.#child, this.#child.stdin, this.#child.stdout] as unknown as {
      ref?(): void;
      unref?(): void;
    }[];
    for (const handle of handles) {
      if (on) handle?.ref?.();
      else handle?.unref?.();
    }
  }

  decode(bytes: Uint8Array, signal?: AbortSignal): Promise<Picture> {
    return new Promise<Picture>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#over) throw new SandboxClosed();
      this.#asked += 1;
      this.#unref(true);
      const timer = setTimeout(
        () => settle(() => reject(new MediaError("too_slow", "The picture takes too long to decode."))),
        TIMEOUT_MS,
      );
      const onAbort = () => settle(() => reject(signal?.reason));
      signal?.addEventListener("abort", onAbort, { once: true });
      const settle = (then: () => void) => {
        if (!this.#job) return;
        this.#job = undefined;
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#unref();
        then();
      };
      const job = {
        pieces: [] as Buffer[],
        size: 0,
        check: () => {
          if (job.size > LARGEST_REPLY) return job.fail(new Error("The photo process said too much."));
          // Sizes are told by the header, which lies in the first piece or two.
          const needed = replyLength(job.pieces);
          if (needed === undefined || job.size < needed) return;
          settle(() => {
            this.#answered += 1;
            try {
              resolve(pictureOf(Buffer.concat(job.pieces, job.size)));
            } catch (error) {
              reject(error);
            }
          });
        },
        fail: (error: Error) => settle(() => reject(error)),
      };
      this.#job = job;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      this.#child.stdin?.write(length);
      this.#child.stdin?.write(bytes);
    });
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}

type Header = z.infer<typeof headerSchema>;

/** Throws Error when it is not what a photo process says. */
function headerOf(reply: Buffer): { header: Header; at: number } | undefined {
  if (reply.length < 4) return undefined;
  const length = reply.readUInt32BE(0);
  if (length > LONGEST_HEADER) throw new Error("The photo process answered nonsense.");
  if (reply.length < 4 + length) return undefined;
  const header = headerSchema.parse(JSON.parse(reply.toString("utf8", 4, 4 + length)));
  return { header, at: 4 + length };
}

function replyLength(pieces: readonly Buffer[]): number | undefined {
  try {
    const first = pieces[0];
    const enough = first && first.length >= 4 + LONGEST_HEADER ? first : Buffer.concat(pieces.slice(0, 32));
    const found = headerOf(enough);
    if (!found) return undefined;
    const { header, at } = found;
    return at + (header.case === "picture" ? header.width * header.height * 3 : 0);
  } catch {
    // Nonsense is complete as it is; reading it says what is wrong.
    return 0;
  }
}

function pictureOf(reply: Buffer): Picture {
  const found = headerOf(reply);
  if (!found) throw new Error("The photo process answered nonsense.");
  const { header, at } = found;
  if (header.case === "fault") throw new MediaError(header.fault, header.message);
  const { width, height } = header;
  const rgb = reply.subarray(at);
  if (rgb.length !== width * height * 3) throw new Error("The photo process sent more than a picture.");
  return { rgb, width, height };
}
