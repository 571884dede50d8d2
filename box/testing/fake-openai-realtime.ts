// A server that speaks OpenAI's realtime transcription protocol, and misbehaves as a test asks.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { z } from "zod";

const updateSchema = z.strictObject({
  type: z.literal("session.update"),
  session: z.strictObject({
    type: z.literal("transcription"),
    audio: z.strictObject({
      input: z.strictObject({
        format: z.strictObject({ type: z.literal("audio/pcm"), rate: z.literal(24_000) }).optional(),
        noise_reduction: z
          .strictObject({ type: z.enum(["near_field", "far_field"]) })
          .nullable()
          .optional(),
        transcription: z.strictObject({ model: z.string(), language: z.string().length(2) }),
        turn_detection: z.strictObject({ type: z.enum(["semantic_vad", "server_vad"]) }).optional(),
      }),
    }),
  }),
});
const clientSchema = z.discriminatedUnion("type", [
  updateSchema,
  z.strictObject({ type: z.literal("input_audio_buffer.append"), audio: z.base64() }),
  z.strictObject({ type: z.literal("input_audio_buffer.clear") }),
]);
export type SessionUpdate = z.infer<typeof updateSchema>["session"];

/** One session as the service sees it. A message that the protocol does not know throws. */
export class RealtimeSession {
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly socket: WebSocket;
  readonly updates: SessionUpdate[] = [];
  readonly samples: number[] = [];
  readonly closed: Promise<number>;
  clears = 0;
  #previous: string | null = null;
  #wake = Promise.withResolvers<void>();

  constructor(socket: WebSocket, request: IncomingMessage, onUpdate: (session: RealtimeSession) => void) {
    this.socket = socket;
    this.headers = request.headers;
    this.query = new URL(request.url ?? "/", "ws://fake").searchParams;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.on("message", (data, binary) => {
      if (binary) throw new Error("the realtime protocol is text");
      const message = clientSchema.parse(JSON.parse((data as Buffer).toString()));
      if (message.type === "session.update") {
        this.updates.push(message.session);
        onUpdate(this);
      } else if (message.type === "input_audio_buffer.append") {
        const bytes = Buffer.from(message.audio, "base64");
        if (bytes.length % 2 !== 0) throw new Error("half a sample");
        for (let at = 0; at < bytes.length; at += 2) this.samples.push(bytes.readInt16LE(at));
      } else {
        this.clears++;
      }
      this.#wake.resolve();
      this.#wake = Promise.withResolvers();
    });
    this.send({ type: "session.created", session: { type: "transcription" } });
  }

  send(message: unknown): void {
    this.socket.send(
      typeof message === "string" ? message : JSON.stringify({ event_id: "e", ...(message as object) }),
    );
  }

  started(id: string, startMs = 0): void {
    this.send({ type: "input_audio_buffer.speech_started", item_id: id, audio_start_ms: startMs });
  }

  /** Speech that is over: stopped and committed. */
  spoke(id: string, endMs = 0, startMs = 0): void {
    this.started(id, startMs);
    this.send({ type: "input_audio_buffer.speech_stopped", item_id: id, audio_end_ms: endMs });
    this.send({ type: "input_audio_buffer.committed", item_id: id, previous_item_id: this.#previous });
    this.#previous = id;
  }

  delta(id: string, delta: string): void {
    const type = "conversation.item.input_audio_transcription.delta";
    this.send({ type, item_id: id, content_index: 0, delta });
  }

  completed(id: string, transcript: string): void {
    const type = "conversation.item.input_audio_transcription.completed";
    this.send({ type, item_id: id, content_index: 0, transcript, usage: { type: "tokens" } });
  }

  failed(id: string, code: string): void {
    const type = "conversation.item.input_audio_transcription.failed";
    this.send({ type, item_id: id, content_index: 0, error: { code, message: "secret" } });
  }

  error(type: string, code: string | null): void {
    this.send({ type: "error", error: { type, code, message: "secret", param: null } });
  }

  /** Resolves once so many samples have come. */
  async until(samples: number): Promise<void> {
    while (this.samples.length < samples) await this.#wake.promise;
  }
}

export class FakeOpenAiRealtime {
  readonly sessions: RealtimeSession[] = [];
  /** The status that an upgrade is answered with; null: it is accepted. */
  refuse: number | null = null;
  onUpdate: (session: RealtimeSession) => void = (session) =>
    session.send({ type: "session.updated", session: session.updates.at(-1) });
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  #wake = Promise.withResolvers<void>();

  private constructor() {
    this.#http = createServer((_request, response) => response.writeHead(426).end());
    this.#http.on("upgrade", (request, socket, head) => {
      if (this.refuse !== null) {
        socket.end(`HTTP/1.1 ${this.refuse} No\r\nConnection: close\r\n\r\n{"error":"secret"}`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.sessions.push(new RealtimeSession(webSocket, request, (session) => this.onUpdate(session)));
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      });
    });
  }

  static async start(): Promise<FakeOpenAiRealtime> {
    const fake = new FakeOpenAiRealtime();
    await new Promise<void>((resolve) => fake.#http.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1/realtime`;
  }

  /** The session so many after the first, once it is there. */
  async session(index = 0): Promise<RealtimeSession> {
    for (;;) {
      const session = this.sessions[index];
      if (session) return session;
      await this.#wake.promise;
    }
  }

  async close(): Promise<void> {
    for (const { socket } of this.sessions) socket.terminate();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
