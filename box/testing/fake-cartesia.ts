// Cartesia as its documentation has it, strict about what it is asked, and misbehaving as a test wants.

import type { IncomingMessage, ServerResponse } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { z } from "zod";
import { LoopbackServer } from "./loopback-server.ts";

export const katie = "f786b574-daa5-4673-aa0c-cbe3e8534c02";
export const pierre = "0a11c1de-0000-4000-8000-00000000f2aa";
export const cartesiaKey = "sk_car_GoodKeyOfCartesia_7a7a";

const generationSchema = z.strictObject({
  model_id: z.literal("sonic-3.5"),
  transcript: z.string().min(1),
  voice: z.strictObject({ mode: z.literal("id"), id: z.string() }),
  language: z.enum(["en", "es", "fr", "de", "it", "pt", "hi", "ja"]).optional(),
  context_id: z.string().min(1),
  output_format: z.strictObject({
    container: z.literal("raw"),
    encoding: z.literal("pcm_s16le"),
    sample_rate: z.literal(24_000),
  }),
  generation_config: z.strictObject({ emotion: z.string() }).optional(),
  continue: z.literal(false),
});
const cancelSchema = z.strictObject({ context_id: z.string(), cancel: z.literal(true) });

export type Generation = z.infer<typeof generationSchema>;

/** One context of a socket, in a test's hands. */
export class CartesiaContext {
  readonly generation: Generation;
  readonly socket: WebSocket;

  constructor(generation: Generation, socket: WebSocket) {
    this.generation = generation;
    this.socket = socket;
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify({ context_id: this.generation.context_id, ...frame }));
  }

  /** Samples of one value. */
  chunk(count = 240, value = 1000): void {
    this.bytes(Buffer.from(new Int16Array(count).fill(value).buffer));
  }

  bytes(bytes: Buffer): void {
    const data = bytes.toString("base64");
    this.send({ type: "chunk", data, done: false, status_code: 206, step_time: 1 });
  }

  done(): void {
    this.send({ type: "done", done: true, status_code: 206 });
  }

  fail(status: number, code: string): void {
    const secret = `key ${cartesiaKey} is bad`;
    this.send({
      type: "error",
      done: true,
      title: secret,
      message: secret,
      error_code: code,
      status_code: status,
    });
  }
}

export class FakeCartesia extends LoopbackServer {
  keys = new Set([cartesiaKey]);
  voices: object[] = [
    {
      id: katie,
      name: "Katie",
      description: "Enunciating.",
      language: "en",
      gender: "feminine",
      is_public: true,
    },
    { id: pierre, name: "Pierre", description: null, language: "fr", gender: "masculine", is_public: true },
  ];
  /** What a list is answered with instead. */
  list: ((response: ServerResponse) => void) | null = null;
  /** What an upgrade is answered with instead; 0: nothing at all. */
  refuse: number | null = null;
  /** What becomes of a context; by default it says as much as its words. */
  onContext: (context: CartesiaContext) => void = (context) => {
    context.chunk(context.generation.transcript.length * 240);
    context.done();
  };
  readonly contexts: CartesiaContext[] = [];
  readonly cancelled: string[] = [];
  /** What broke the protocol. */
  readonly mistakes: string[] = [];
  readonly sockets = new Set<WebSocket>();
  lists = 0;
  upgrades = 0;
  readonly #ws = new WebSocketServer({ noServer: true });

  private constructor() {
    super((request, response) => this.#answer(request, response));
    this.http.on("upgrade", (request, socket, head) => {
      this.upgrades++;
      const status = this.#authorised(request) ? this.refuse : 401;
      if (status === 0) return;
      if (status !== null || request.url !== "/tts/websocket") {
        socket.end(`HTTP/1.1 ${status ?? 404} No\r\nConnection: close\r\n\r\n${cartesiaKey}`);
        return;
      }
      this.#ws.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket));
    });
  }

  static start(): Promise<FakeCartesia> {
    return new FakeCartesia().listen();
  }

  #authorised({ headers, url = "" }: IncomingMessage): boolean {
    if (headers["cartesia-version"] !== "2026-03-01") this.mistakes.push("no version");
    if (/key|token/i.test(url)) this.mistakes.push("a credential in the address");
    return this.keys.has(headers.authorization?.replace(/^Bearer /, "") ?? "");
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://fake");
    if (url.pathname !== "/voices" || request.method !== "GET") {
      this.mistakes.push(`${request.method} ${url.pathname}`);
      response.writeHead(404).end();
      return;
    }
    this.lists++;
    if (!this.#authorised(request)) {
      json(response, 401, { error_code: null, title: "Unauthorized", message: cartesiaKey });
      return;
    }
    if (this.list) {
      this.list(response);
      return;
    }
    const limit = Number(url.searchParams.get("limit"));
    const after = url.searchParams.get("starting_after");
    const from = after ? this.voices.findIndex((voice) => "id" in voice && voice.id === after) + 1 : 0;
    const data = this.voices.slice(from, from + limit);
    json(response, 200, { data, has_more: from + limit < this.voices.length, next_page: null });
  }

  #serve(socket: WebSocket): void {
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.on("message", (data, binary) => {
      const text = (data as Buffer).toString();
      const cancel = cancelSchema.safeParse(JSON.parse(text));
      if (cancel.success) {
        this.cancelled.push(cancel.data.context_id);
        return;
      }
      const generation = generationSchema.safeParse(JSON.parse(text));
      if (!generation.success || binary) {
        this.mistakes.push(generation.error?.message ?? "binary");
        return;
      }
      const context = new CartesiaContext(generation.data, socket);
      this.contexts.push(context);
      const known = this.voices.some((voice) => "id" in voice && voice.id === generation.data.voice.id);
      if (known) this.onContext(context);
      else context.fail(404, "voice_not_found");
    });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
