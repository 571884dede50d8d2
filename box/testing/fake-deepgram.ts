// A server that speaks Deepgram's live protocol, and misbehaves as a test asks.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";

export interface DeepgramResult {
  text: string;
  /** Seconds from the beginning of the line. */
  start?: number;
  duration: number;
  final?: boolean;
  fromFinalize?: boolean;
  words?: { word: string; punctuated_word?: string; start: number; end: number }[];
}

/** One line as the service sees it. */
export class DeepgramLine {
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly socket: WebSocket;
  /** Samples of the binary frames, which must be whole. */
  readonly samples: number[] = [];
  readonly controls: string[] = [];
  readonly closed: Promise<number>;
  readonly #onControl: (line: DeepgramLine, type: string) => void;
  #wake = Promise.withResolvers<void>();

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    onControl: (line: DeepgramLine, type: string) => void,
  ) {
    this.socket = socket;
    this.#onControl = onControl;
    this.headers = request.headers;
    this.query = new URL(request.url ?? "/", "ws://fake").searchParams;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.on("message", (data, binary) => {
      const bytes = data as Buffer;
      if (binary) {
        if (bytes.length % 2 !== 0) throw new Error("half a sample");
        for (let at = 0; at < bytes.length; at += 2) this.samples.push(bytes.readInt16LE(at));
      } else {
        const { type } = JSON.parse(bytes.toString()) as { type: string };
        this.controls.push(type);
        this.#onControl(this, type);
        if (type === "CloseStream") {
          this.send({ type: "Metadata", duration: this.seconds, channels: 1, request_id: "r" });
          socket.close(1000);
        }
      }
      this.#wake.resolve();
      this.#wake = Promise.withResolvers();
    });
  }

  get seconds(): number {
    return this.samples.length / 16_000;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  result({
    text,
    start = 0,
    duration,
    final = false,
    fromFinalize = false,
    words = [],
  }: DeepgramResult): void {
    this.send({
      type: "Results",
      channel_index: [0, 1],
      start,
      duration,
      is_final: final,
      speech_final: final,
      from_finalize: fromFinalize,
      channel: { alternatives: [{ transcript: text, confidence: 0.9, words }] },
      metadata: { request_id: "r", model_info: { name: "fake", version: "1", arch: "fake" } },
    });
  }

  /** Resolves once so many samples, or a control message of a type, have come. */
  async until(what: number | string): Promise<void> {
    while (typeof what === "number" ? this.samples.length < what : !this.controls.includes(what))
      await this.#wake.promise;
  }
}

export class FakeDeepgram {
  readonly lines: DeepgramLine[] = [];
  /** What an upgrade is answered with instead; null: it is accepted. */
  refuse: ((request: IncomingMessage) => { status: number; body?: string } | null) | null = null;
  /** Upgrades are left hanging. */
  hang = false;
  onLine: (line: DeepgramLine) => void = () => undefined;
  onControl: (line: DeepgramLine, type: string) => void = () => undefined;
  upgrades = 0;
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #hanging: Duplex[] = [];
  #wake = Promise.withResolvers<void>();

  private constructor() {
    this.#http = createServer((_request, response) => response.writeHead(426).end());
    this.#http.on("upgrade", (request, socket, head) => {
      this.upgrades++;
      if (this.hang) {
        this.#hanging.push(socket);
        return;
      }
      const refusal = this.refuse?.(request);
      if (refusal) {
        socket.end(
          `HTTP/1.1 ${refusal.status} No\r\ndg-error: secret detail\r\nLocation: /elsewhere\r\n` +
            `Connection: close\r\n\r\n${refusal.body ?? ""}`,
        );
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const line = new DeepgramLine(webSocket, request, (from, type) => this.onControl(from, type));
        this.lines.push(line);
        this.onLine(line);
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      });
    });
  }

  static async start(): Promise<FakeDeepgram> {
    const fake = new FakeDeepgram();
    await new Promise<void>((resolve) => fake.#http.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1/listen`;
  }

  /** The line so many lines after the first, once it is there. */
  async line(index = 0): Promise<DeepgramLine> {
    for (;;) {
      const line = this.lines[index];
      if (line) return line;
      await this.#wake.promise;
    }
  }

  async close(): Promise<void> {
    for (const { socket } of this.lines) socket.terminate();
    for (const socket of this.#hanging) socket.destroy();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
