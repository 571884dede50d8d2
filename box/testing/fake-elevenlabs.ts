// ElevenLabs as its documentation has it, strict about what it is asked, and misbehaving as a test wants.

import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { LoopbackServer } from "./loopback-server.ts";

export const sarah = "EXAVITQu4vr4xnSDxMaL";
export const elevenlabsKey = "sk_GoodKeyOfElevenLabs_9c9c";

const speechSchema = z.strictObject({
  text: z.string().min(1),
  model_id: z.literal("eleven_flash_v2_5"),
  language_code: z.enum(["en", "es", "fr", "de", "it", "pt", "hi", "ja"]).optional(),
  voice_settings: z
    .strictObject({ stability: z.number().min(0).max(1), speed: z.number().min(0.7).max(1.2) })
    .optional(),
});

export interface Speech {
  voice: string;
  format: string;
  body: z.infer<typeof speechSchema>;
}

export class FakeElevenLabs extends LoopbackServer {
  keys = new Set([elevenlabsKey]);
  voices: object[] = [
    {
      voice_id: sarah,
      name: "Sarah",
      description: "Mature, reassuring.",
      labels: { gender: "Female", language: "en", accent: "american" },
    },
  ];
  /** What is answered instead of speech, or of a list. */
  speech: ((response: ServerResponse, speech: Speech) => void) | null = null;
  list: ((response: ServerResponse) => void) | null = null;
  /** The rest of what `/` is answered with. */
  page: ((response: ServerResponse) => unknown) | null = null;
  readonly spoken: Speech[] = [];
  readonly mistakes: string[] = [];
  /** Answers given up before they were whole. */
  abandoned = 0;
  lists = 0;

  private constructor() {
    super((request, response) => void this.#answer(request, response));
  }

  static start(): Promise<FakeElevenLabs> {
    return new FakeElevenLabs().listen();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.once("close", () => {
      if (!response.writableFinished) this.abandoned++;
    });
    if (url.pathname === "/") {
      if (request.headers["xi-api-key"]) this.mistakes.push("a key where none is needed");
      response.writeHead(404);
      if (this.page) this.page(response);
      else response.end();
      return;
    }
    if (/key|token=sk/i.test(url.search)) this.mistakes.push("a credential in the address");
    if (!this.keys.has(String(request.headers["xi-api-key"]))) {
      refuse(response, 401, "invalid_api_key");
      return;
    }
    const voice = /^\/v1\/text-to-speech\/([^/]+)\/stream$/.exec(url.pathname)?.[1];
    if (voice !== undefined && request.method === "POST") {
      const body = speechSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
      const format = url.searchParams.get("output_format") ?? "";
      if (!body.success || !/^pcm_(?:16000|24000)$/.test(format)) {
        this.mistakes.push(body.error?.message ?? format);
        refuse(response, 422, "unprocessable");
        return;
      }
      const speech = { voice, format, body: body.data };
      this.spoken.push(speech);
      const known = this.voices.some((row) => "voice_id" in row && row.voice_id === voice);
      if (!known) refuse(response, 404, "voice_not_found");
      else if (this.speech) this.speech(response, speech);
      else say(response, new Int16Array(speech.body.text.length * 240).fill(2000));
      return;
    }
    if (url.pathname !== "/v2/voices" || request.method !== "GET") {
      this.mistakes.push(`${request.method} ${url.pathname}`);
      response.writeHead(404).end();
      return;
    }
    this.lists++;
    if (this.list) {
      this.list(response);
      return;
    }
    const size = Number(url.searchParams.get("page_size"));
    const from = Number(url.searchParams.get("next_page_token") ?? 0);
    const more = from + size < this.voices.length;
    response.writeHead(200, { "Content-Type": "application/json" }).end(
      JSON.stringify({
        voices: this.voices.slice(from, from + size),
        has_more: more,
        next_page_token: more ? String(from + size) : null,
      }),
    );
  }
}

export function refuse(response: ServerResponse, status: number, word: string): void {
  const detail = { status: word, message: `The key ${elevenlabsKey} is bad.` };
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ detail }));
}

export function say(response: ServerResponse, samples: Int16Array): void {
  response.writeHead(200, { "Content-Type": "audio/pcm" }).end(Buffer.from(samples.buffer));
}
