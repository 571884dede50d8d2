// Requests to voice engines: connections are kept and owned, nothing is redirected, nothing is waited for without end.

import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { VoiceFailure } from "./failure.ts";

const connectWithinMs = 4_000;
const keptAliveMs = 50_000;
const errorBytes = 64 * 1024;

export interface VoiceRequest {
  method?: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless the headers say otherwise. */
  body?: object | Uint8Array;
  signal: AbortSignal;
  /** Until the first byte of the answer. */
  answerWithinMs: number;
  /** Between two pieces of the answer. */
  silenceMs: number;
  /** The answer as a whole. */
  wholeWithinMs: number;
}

export class VoiceAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly #message: IncomingMessage;
  readonly #label: string;
  readonly #silenceMs: number;
  readonly #endsAtMs: number;
  readonly #done: () => void;

  constructor(
    message: IncomingMessage,
    {
      label,
      silenceMs,
      endsAtMs,
      done,
    }: { label: string; silenceMs: number; endsAtMs: number; done(): void },
  ) {
    this.#message = message;
    this.#label = label;
    this.#silenceMs = silenceMs;
    this.#endsAtMs = endsAtMs;
    this.#done = done;
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Media type, without its parameters. */
  get type(): string {
    return (this.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  }

  /** The body's pieces; whoever stops listening ends the answer. Throws VoiceFailure. */
  async *pieces(): AsyncGenerator<Buffer, void, undefined> {
    const message = this.#message;
    const iterator: AsyncIterator<Buffer> = message[Symbol.asyncIterator]();
    let whole = false;
    try {
      for (;;) {
        const step = await this.#inTime(iterator.next());
        if (step.done) {
          whole = message.complete;
          if (!whole) throw new VoiceFailure(this.#label, "unreachable");
          return;
        }
        yield step.value;
      }
    } catch (error) {
      throw error instanceof VoiceFailure
        ? error
        : new VoiceFailure(this.#label, "unreachable", { cause: error });
    } finally {
      if (!whole) message.destroy();
      this.#done();
    }
  }

  /** The whole body. Throws VoiceFailure where it is longer. */
  async bytes(limit: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of this.pieces()) {
      size += piece.length;
      if (size > limit) throw new VoiceFailure(this.#label, "unreachable");
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** The body as JSON; null where it is none. */
  async json(limit = errorBytes): Promise<unknown> {
    try {
      return JSON.parse((await this.bytes(limit)).toString("utf8"));
    } catch (error) {
      if (error instanceof SyntaxError || limit === errorBytes) return null;
      throw error;
    }
  }

  /** Nothing of the body is wanted; the connection is kept where it is small and ends in time. */
  async skip(): Promise<void> {
    await this.bytes(errorBytes).catch(() => undefined);
  }

  discard(): void {
    this.#message.destroy();
    this.#done();
  }

  #inTime<Value>(step: Promise<Value>): Promise<Value> {
    const waitMs = Math.max(0, Math.min(this.#silenceMs, this.#endsAtMs - performance.now()));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new VoiceFailure(this.#label, "timeout"));
        this.#message.destroy();
      }, waitMs);
      step.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

export class VoiceHttp {
  readonly #label: string;
  readonly #agents = {
    "http:": new HttpAgent({ keepAlive: true, timeout: keptAliveMs, maxFreeSockets: 4 }),
    "https:": new HttpsAgent({ keepAlive: true, timeout: keptAliveMs, maxFreeSockets: 4 }),
  };
  readonly #open = new Set<ClientRequest>();
  #closed = false;

  /** `label`: what its failures call the other side. */
  constructor(label: string) {
    this.#label = label;
  }

  /** Resolves with the answer's beginning. Rejects with VoiceFailure, and soon after an abort. */
  async ask(request: VoiceRequest): Promise<VoiceAnswer> {
    try {
      return await this.#ask(request);
    } catch (error) {
      // A kept connection may have been closed at the other end a moment ago; nothing was heard of the request then.
      if (error instanceof StaleConnection && !request.signal.aborted) return this.#ask(request);
      throw error;
    }
  }

  /** Ends everything under way. */
  close(): void {
    this.#closed = true;
    for (const request of this.#open) request.destroy();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #ask({ method, url, headers = {}, body, signal, ...times }: VoiceRequest): Promise<VoiceAnswer> {
    const label = this.#label;
    const startedAtMs = performance.now();
    if (this.#closed || signal.aborted) return Promise.reject(new VoiceFailure(label, "unreachable"));
    return new Promise((resolve, reject) => {
      const bytes = body instanceof Uint8Array ? body : body && Buffer.from(JSON.stringify(body));
      const target = new URL(url);
      const secure = target.protocol === "https:";
      let request: ClientRequest;
      try {
        request = (secure ? httpsRequest : httpRequest)(target, {
          agent: this.#agents[secure ? "https:" : "http:"],
          method: method ?? (bytes ? "POST" : "GET"),
          headers: {
            ...(bytes ? { "Content-Type": "application/json", "Content-Length": bytes.length } : {}),
            ...headers,
          },
        });
      } catch {
        // A key that cannot be sent as a header is none; the error would repeat it.
        reject(new VoiceFailure(label, "key"));
        return;
      }
      this.#open.add(request);
      let timer: NodeJS.Timeout;
      const late = (withinMs: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => request.destroy(new VoiceFailure(label, "timeout")), withinMs);
      };
      const onAbort = () => request.destroy();
      signal.addEventListener("abort", onAbort, { once: true });
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#open.delete(request);
      };
      late(connectWithinMs);
      request.once("socket", (socket) => {
        if (!socket.connecting) late(times.answerWithinMs);
        else socket.once(secure ? "secureConnect" : "connect", () => late(times.answerWithinMs));
      });
      request.once("response", (message) => {
        clearTimeout(timer);
        const endsAtMs = startedAtMs + times.wholeWithinMs;
        message.once("close", done);
        // Whoever reads it hears of it there.
        message.on("error", () => undefined);
        resolve(new VoiceAnswer(message, { label, silenceMs: times.silenceMs, endsAtMs, done }));
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        done();
        const reset = error.code === "ECONNRESET" || error.code === "EPIPE";
        if (error instanceof VoiceFailure) reject(error);
        else if (request.reusedSocket && reset) reject(new StaleConnection(label));
        else reject(new VoiceFailure(label, "unreachable", { cause: error }));
      });
      request.once("close", () => {
        done();
        reject(new VoiceFailure(label, "unreachable"));
      });
      request.end(bytes);
    });
  }
}

class StaleConnection extends VoiceFailure {
  constructor(label: string) {
    super(label, "unreachable");
  }
}
