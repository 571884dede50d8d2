// One WebSocket to a hosted service: opened within a time, never with an unlimited queue, gone when it falls silent.

import { WebSocket, type RawData } from "ws";

/** Why a line did not come about. `configuration`: what was asked for in particular; something else may work. */
export type RefusalKind =
  | "key"
  | "credit"
  | "busy"
  | "configuration"
  | "unavailable"
  | "timeout"
  | "unreachable";

const reasons: Record<RefusalKind, string> = {
  key: "The service refused the key.",
  credit: "The account has no credit left.",
  busy: "The service is busy.",
  configuration: "The service refused what it was asked for.",
  unavailable: "The service is not available.",
  timeout: "The service did not answer in time.",
  unreachable: "The service could not be reached.",
};

/**
 * A line that did not come about; whoever opens it has words of their own for it. Nothing the service said is in it: it
 * may echo the key.
 */
export class LineRefused extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind) {
    super(reasons[kind]);
    this.name = "LineRefused";
    this.kind = kind;
  }
}

export interface LineOptions {
  url: URL;
  headers: Record<string, string>;
  /** The opening is given up when it is aborted. */
  signal: AbortSignal;
  openWithinMs?: number;
  /** What may wait to be sent, in bytes; past it the line is dropped. */
  queueBytes: number;
  /** Between two pings; a line that leaves one unanswered is dropped. */
  pingEveryMs?: number;
  /** Text frames; binary ones mean nothing here. */
  onText(text: string): void;
  /** Once, unless `close` was called: the line is gone. */
  onLost(why: string): void;
}

const openWithinMs = 5_000;
const pingEveryMs = 10_000;
const closeWithinMs = 1_000;
/** Far more than any frame of speech, and than the transcript of half a minute. */
const largestMessageBytes = 1024 * 1024;

function kindOfStatus(status: number): RefusalKind {
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "credit";
  if (status === 429) return "busy";
  return status >= 400 && status < 500 ? "configuration" : "unavailable";
}

function connect(url: URL, headers: Record<string, string>): WebSocket | null {
  try {
    return new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      // A redirect would carry the key to another host.
      followRedirects: false,
      maxPayload: largestMessageBytes,
    });
  } catch {
    // An address or a header that cannot be sent; the message would repeat it.
    return null;
  }
}

export class Line {
  readonly #socket: WebSocket;
  readonly #options: LineOptions;
  readonly #ping: NodeJS.Timeout;
  readonly #gone: Promise<void>;
  #answered = true;
  #closed = false;
  #why = "ended by the service";

  private constructor(socket: WebSocket, options: LineOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#gone = new Promise((resolve) => {
      socket.once("close", (code) => {
        clearInterval(this.#ping);
        resolve();
        if (this.#closed) return;
        this.#closed = true;
        options.onLost(`${this.#why} (${code})`);
      });
    });
    socket.on("message", (data: RawData, binary: boolean) => {
      this.#answered = true;
      if (!binary && !this.#closed) options.onText((data as Buffer).toString("utf8"));
    });
    socket.on("pong", () => {
      this.#answered = true;
    });
    this.#ping = setInterval(() => {
      if (!this.#answered) return this.#drop("fell silent");
      this.#answered = false;
      socket.ping();
    }, options.pingEveryMs ?? pingEveryMs);
  }

  /** Rejects with LineRefused. */
  static open(options: LineOptions): Promise<Line> {
    return new Promise((resolve, reject) => {
      const { url, headers, signal } = options;
      if (signal.aborted) {
        reject(new LineRefused("unreachable"));
        return;
      }
      const socket = connect(url, headers);
      if (!socket) {
        reject(new LineRefused("unreachable"));
        return;
      }
      const refuse = (kind: RefusalKind) => {
        settle();
        socket.terminate();
        reject(new LineRefused(kind));
      };
      const timer = setTimeout(() => refuse("timeout"), options.openWithinMs ?? openWithinMs);
      const onAbort = () => refuse("unreachable");
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      // Every error ends in `close`, where it is told; an error nobody listens to would end the process.
      socket.on("error", () => undefined);
      socket.once("unexpected-response", (_request, response) => {
        response.destroy();
        refuse(kindOfStatus(response.statusCode ?? 0));
      });
      const onEarlyClose = () => refuse("unreachable");
      socket.once("close", onEarlyClose);
      socket.once("open", () => {
        settle();
        socket.off("close", onEarlyClose);
        resolve(new Line(socket, options));
      });
    });
  }

  /** Bytes go as a binary frame, a string as text. */
  send(data: Uint8Array | string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount + data.length > this.#options.queueBytes) {
      this.#drop("could not keep up");
      return;
    }
    this.#socket.send(data, { binary: typeof data !== "string" });
  }

  /** Frees it; nothing more is told. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#ping);
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    else this.#socket.terminate();
    const timer = setTimeout(() => this.#socket.terminate(), closeWithinMs);
    await this.#gone;
    clearTimeout(timer);
  }

  /** Ends a line that has become useless, as if it had been lost. */
  drop(why: string): void {
    this.#drop(why);
  }

  #drop(why: string): void {
    this.#why = why;
    this.#socket.terminate();
  }
}
