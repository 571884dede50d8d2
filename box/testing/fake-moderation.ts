// A moderation service in a test's hands.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as bodyOf } from "node:stream/consumers";

export interface ModerationQuestion {
  headers: IncomingMessage["headers"];
  raw: string;
  body: { role: string; text: string };
}

export class FakeModeration {
  readonly questions: ModerationQuestion[] = [];
  answer: (question: ModerationQuestion, response: ServerResponse) => void = (_question, response) =>
    response.end('{"allowed":true}');
  readonly #http: Server;

  private constructor() {
    this.#http = createServer(async (request, response) => {
      const raw = await bodyOf(request);
      const body = JSON.parse(raw) as ModerationQuestion["body"];
      const question = { headers: request.headers, raw, body };
      this.questions.push(question);
      this.answer(question, response);
    });
  }

  static async start(): Promise<FakeModeration> {
    const fake = new FakeModeration();
    await new Promise<void>((resolve) => fake.#http.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/screen`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
