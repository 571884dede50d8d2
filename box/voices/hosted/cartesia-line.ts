// One socket to Cartesia, for everything that is said on one account: opened when it is needed, kept while it is used.

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Line, LineRefused, type RefusalKind } from "../../providers/line.ts";
import { VoiceFailure, type VoiceFault } from "../failure.ts";
import { SpeechQueue } from "./speech-queue.ts";

export interface CartesiaTimes {
  openMs: number;
  /** From a clause to its first audio. */
  firstAudioMs: number;
  /** Between two pieces of a clause. */
  silenceMs: number;
  /** A clause as a whole. */
  wholeMs: number;
  /** Unused for this long it is closed, before the other side does that (after five minutes). */
  idleMs: number;
}

const usualTimes: CartesiaTimes = {
  openMs: 4_000,
  firstAudioMs: 5_000,
  silenceMs: 4_000,
  wholeMs: 60_000,
  idleMs: 240_000,
};

/** Clauses are short; what waits to be sent is more only where nothing is sent at all. */
const queueBytes = 256 * 1024;

const frameSchema = z.object({
  type: z.string(),
  context_id: z.string().nullish(),
  data: z.string().nullish(),
  status_code: z.number().nullish(),
  error_code: z.string().nullish(),
});

const faults: Record<RefusalKind, VoiceFault> = {
  key: "key",
  credit: "credit",
  busy: "busy",
  configuration: "request",
  unavailable: "unreachable",
  timeout: "timeout",
  unreachable: "unreachable",
};

export interface CartesiaLineOptions {
  url: string;
  headers: Record<string, string>;
  label: string;
  faultOf(status: number, code?: string): VoiceFault;
  times?: Partial<CartesiaTimes>;
  /** It has no socket, and nobody is about to speak. */
  onIdle(): void;
}

export class CartesiaLine {
  readonly #options: CartesiaLineOptions;
  readonly #times: CartesiaTimes;
  readonly #closing = new AbortController();
  readonly #contexts = new Map<string, SpeechQueue>();
  readonly #leaving = new Set<Promise<void>>();
  #line: Line | null = null;
  #opening: Promise<Line> | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Clauses under way, also between two sockets. */
  #clauses = 0;

  constructor(options: CartesiaLineOptions) {
    this.#options = options;
    this.#times = { ...usualTimes, ...options.times };
  }

  /** Something is being said, or a socket comes or goes. */
  get busy(): boolean {
    return this.#clauses > 0 || this.#opening !== null || this.#leaving.size > 0;
  }

  /** Rejects with VoiceFailure. */
  async open(): Promise<Line> {
    if (this.#line) return this.#line;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
      this.#settle();
    });
    return this.#opening;
  }

  /** The speech of one clause, which is a context of its own. Throws VoiceFailure. */
  async *generate(generation: object, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    this.#clauses++;
    try {
      yield* this.#generate(generation, signal);
    } finally {
      this.#clauses--;
      this.#settle();
    }
  }

  async *#generate(generation: object, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    for (let again = true; !signal.aborted; again = false) {
      const reused = this.#line !== null;
      const line = await unlessAborted(this.open(), signal);
      if (line === null) return;
      const context = randomUUID();
      const queue = new SpeechQueue(this.#options.label, this.#times);
      this.#contexts.set(context, queue);
      clearTimeout(this.#idle);
      let whole = false;
      let heard = false;
      try {
        line.send(JSON.stringify({ ...generation, context_id: context }));
        for await (const piece of queue.pieces(signal)) {
          heard = true;
          yield piece;
        }
        whole = !signal.aborted;
        return;
      } catch (error) {
        whole = true;
        // The other side closed a socket that had been waiting; nothing of this clause was made.
        if (reused && again && !heard && queue.lost) continue;
        // One that says nothing at all is no use to the next clause either.
        if (error instanceof VoiceFailure && error.fault === "timeout") line.drop("fell silent");
        throw error;
      } finally {
        this.#contexts.delete(context);
        if (!whole) line.send(JSON.stringify({ context_id: context, cancel: true }));
        if (this.#contexts.size === 0) this.#rest();
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    for (const queue of this.#contexts.values()) queue.fail("unreachable");
    await this.#opening?.catch(() => undefined);
    this.#leave();
    await Promise.all(this.#leaving);
  }

  async #connect(): Promise<Line> {
    const { url, headers, label } = this.#options;
    const text = (frame: string) => this.#hear(line, frame);
    let line: Line | null = null;
    try {
      line = await Line.open({
        url: new URL(url),
        headers,
        signal: this.#closing.signal,
        openWithinMs: this.#times.openMs,
        queueBytes,
        onText: text,
        onLost: () => this.#lost(line),
      });
    } catch (error) {
      throw new VoiceFailure(label, error instanceof LineRefused ? faults[error.kind] : "unreachable");
    }
    this.#line = line;
    this.#rest();
    return line;
  }

  #hear(line: Line | null, text: string): void {
    let json: unknown = null;
    try {
      json = JSON.parse(text);
    } catch {
      // Told below.
    }
    const { data: frame } = frameSchema.safeParse(json);
    if (!frame) {
      line?.drop("spoke another language");
      return;
    }
    const { type, context_id: context, data, status_code: status, error_code: code } = frame;
    const queue = this.#contexts.get(context ?? "");
    if (type === "chunk") {
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data ?? "-")) line?.drop("spoke another language");
      else queue?.push(Buffer.from(data ?? "", "base64"));
    } else if (type === "done") queue?.end();
    else if (type === "error") {
      const fault = this.#options.faultOf(status ?? 500, code ?? undefined);
      if (queue) queue.fail(fault);
      // Without a context it is about everything.
      else if (!context) for (const each of this.#contexts.values()) each.fail(fault);
    }
  }

  #lost(line: Line | null): void {
    if (line !== null && this.#line === line) this.#line = null;
    for (const queue of this.#contexts.values()) queue.lose();
    clearTimeout(this.#idle);
    this.#settle();
  }

  #settle(): void {
    if (this.#line === null && !this.busy) this.#options.onIdle();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (!this.#line || this.#contexts.size > 0) return;
    this.#idle = setTimeout(() => this.#leave(), this.#times.idleMs);
    this.#idle.unref();
  }

  #leave(): void {
    const line = this.#line;
    this.#line = null;
    if (!line) return;
    const left = line.close();
    this.#leaving.add(left);
    void left.finally(() => {
      this.#leaving.delete(left);
      this.#settle();
    });
  }
}

/** Null when the abort comes first. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  if (signal.aborted) return null;
  const aborted = Promise.withResolvers<null>();
  const stop = () => aborted.resolve(null);
  signal.addEventListener("abort", stop, { once: true });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
