// A server that speaks the Messages API as a test tells it to: as server-sent events, or in the frames of Amazon.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";

export interface MessagesRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

export type Framing = "sse" | "eventstream";

/** One header of an event-stream frame: its name, the type 7 (text) and its value. */
function frameHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

/** A frame of `application/vnd.amazon.eventstream`. */
export function eventStreamFrame(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => frameHeader(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

/** The answer to one request, in the test's hands. */
export class FakeReply {
  readonly request: MessagesRequest;
  /** Counts requests from 1. */
  readonly number: number;
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #framing: Framing;
  #index = -1;

  constructor(request: MessagesRequest, number: number, response: ServerResponse, framing: Framing) {
    this.request = request;
    this.number = number;
    this.#response = response;
    this.#framing = framing;
    this.closed = new Promise((resolve) => response.once("close", () => resolve()));
  }

  /** An answer with a status that is no success. */
  refuse(status: number, type: string, { message = "no", headers = {} } = {}): void {
    this.#response.writeHead(status, { "Content-Type": "application/json", ...headers });
    this.#response.end(JSON.stringify({ type: "error", error: { type, message } }));
  }

  /** A whole reply at once, as one gets it who does not ask for a stream. */
  whole(text: string): void {
    const message = { id: `msg_${this.number}`, type: "message", role: "assistant", model: "fake" };
    const content = [{ type: "text", text }];
    this.#response.writeHead(200, { "Content-Type": "application/json" });
    this.#response.end(JSON.stringify({ ...message, content, stop_reason: "max_tokens" }));
  }

  begin(): this {
    const type = this.#framing === "sse" ? "text/event-stream" : "application/vnd.amazon.eventstream";
    this.#response.writeHead(200, { "Content-Type": type, "request-id": `req_${this.number}` });
    const message = {
      id: `msg_${this.number}`,
      type: "message",
      role: "assistant",
      model: "fake",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    };
    return this.event("message_start", { message });
  }

  event(type: string, data: object = {}): this {
    return this.raw(type, JSON.stringify({ type, ...data }));
  }

  /** An event whose data need not be JSON. */
  raw(type: string, data: string): this {
    if (this.#framing === "sse") {
      this.#response.write(`event: ${type}\ndata: ${data}\n\n`);
      return this;
    }
    const headers = {
      ":event-type": "chunk",
      ":content-type": "application/json",
      ":message-type": "event",
    };
    const payload = JSON.stringify({ bytes: Buffer.from(data).toString("base64") });
    this.#response.write(eventStreamFrame(headers, payload));
    return this;
  }

  ping(): this {
    return this.event("ping");
  }

  /** A block of text in the given pieces. */
  text(...pieces: string[]): this {
    this.open({ type: "text", text: "" });
    for (const text of pieces) this.more(text);
    return this.stop();
  }

  /** Text for the block that is open. */
  more(text: string): this {
    return this.#delta({ type: "text_delta", text });
  }

  /** A tool call whose arguments come in the given pieces of JSON, or whole. */
  toolUse({ id, name, input }: { id: string; name: string; input: object | string[] }): this {
    this.open({ type: "tool_use", id, name, input: {} });
    for (const piece of Array.isArray(input) ? input : [JSON.stringify(input)])
      this.#delta({ type: "input_json_delta", partial_json: piece });
    return this.stop();
  }

  thinking(thinking: string, signature: string): this {
    this.open({ type: "thinking", thinking: "", signature: "" });
    for (const piece of thinking.split(/(?<= )/)) this.#delta({ type: "thinking_delta", thinking: piece });
    this.#delta({ type: "signature_delta", signature });
    return this.stop();
  }

  redactedThinking(data: string): this {
    return this.open({ type: "redacted_thinking", data }).stop();
  }

  open(block: object): this {
    this.#index++;
    return this.event("content_block_start", { index: this.#index, content_block: block });
  }

  stop(): this {
    return this.event("content_block_stop", { index: this.#index });
  }

  /** An `error` event: the stream's own, or Amazon's kind of it. */
  error(type: string, message = "no"): this {
    if (this.#framing === "sse") return this.event("error", { error: { type, message } });
    const headers = {
      ":exception-type": type,
      ":content-type": "application/json",
      ":message-type": "exception",
    };
    this.#response.write(eventStreamFrame(headers, JSON.stringify({ message })));
    return this;
  }

  /** The proper end of a reply. */
  end(stopReason = "end_turn"): void {
    const delta = { stop_reason: stopReason, stop_sequence: null };
    this.event("message_delta", { delta, usage: { output_tokens: 5 } })
      .event("message_stop")
      .close();
  }

  /** Closes the connection politely, wherever the reply is. */
  close(): void {
    this.#response.end();
  }

  /** Breaks the connection once what was written is on its way. */
  drop(): void {
    this.#response.write("", () => setImmediate(() => this.#response.destroy()));
  }

  #delta(delta: object): this {
    return this.event("content_block_delta", { index: this.#index, delta });
  }
}

export type Answer = (reply: FakeReply) => void | Promise<void>;

/** A reply of these words and nothing else. */
export const says =
  (...pieces: string[]): Answer =>
  (reply) =>
    reply
      .begin()
      .text(...pieces)
      .end();

/** A reply that calls one tool, after a few words where there are any. */
export const calls =
  (name: string, input: object, words = ""): Answer =>
  (reply) => {
    reply.begin();
    if (words !== "") reply.text(words);
    reply.toolUse({ id: `toolu_${reply.number}`, name, input }).end("tool_use");
  };

export class FakeMessagesApi {
  readonly requests: MessagesRequest[] = [];
  /** Answers every request that no scripted answer is left for. */
  answer: Answer = says("Hello there.");
  readonly #script: Answer[] = [];
  readonly #server: Server;

  private constructor(framing: Framing) {
    this.#server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const { method = "", url = "", headers } = request;
      const asked = { method, path: url, headers, body: JSON.parse(text) };
      this.requests.push(asked);
      const answer = this.#script.shift() ?? this.answer;
      await answer(new FakeReply(asked, this.requests.length, response, framing));
    });
  }

  static async open(framing: Framing = "sse"): Promise<FakeMessagesApi> {
    const api = new FakeMessagesApi(framing);
    await new Promise<void>((resolve) => {
      api.#server.listen(0, "127.0.0.1", resolve);
    });
    return api;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Answers for the next requests, one each. */
  script(...answers: Answer[]): void {
    this.#script.push(...answers);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
