// A self-hosted speech server, as several of them are: strict about what it is asked, and misbehaving as a test wants.

import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { wavFile } from "../voices/wav.ts";
import { LoopbackServer } from "./loopback-server.ts";

const speechSchema = z.strictObject({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.string().min(1),
  response_format: z.enum(["pcm", "wav"]),
  stream_format: z.literal("audio").optional(),
});
export type SpeechAsked = z.infer<typeof speechSchema>;

export interface CloneWay {
  path: string;
  name: string;
  file: string;
}

export class FakeSpeechServer extends LoopbackServer {
  /** `/v1/audio/voices`, `/v1/voices`, or none. */
  listPath: string | null = "/v1/audio/voices";
  /** How it lists; by default Kokoro's way. */
  listOf: (voices: string[]) => unknown = (voices) => ({ voices });
  /** A list is answered after this, with the voices of before. */
  onList: () => Promise<void> = () => Promise.resolve();
  voices = ["af_heart", "am_adam", "ff_siwis"];
  apiKey: string | null = null;
  /** Everything is answered with this. */
  status: number | null = null;
  speech: ((response: ServerResponse, asked: SpeechAsked) => void) | null = null;
  cloning: CloneWay | null = { path: "/v1/audio/voices", name: "name", file: "audio_sample" };
  /** What a clone is answered with, after it was kept. */
  cloned: (name: string) => unknown = (name) => ({ success: true, voice: { name } });
  /** `text`: an answer that is no JSON. */
  prepare: { status: number; body: unknown; text?: string } | null = null;
  /** A form that came is answered by this instead. */
  refuseClip: ((json: (status: number, answer: unknown) => unknown) => void) | null = null;
  gets = 0;
  posts = 0;
  readonly spoken: SpeechAsked[] = [];
  readonly clips: { name: string; bytes: Buffer; type: string }[] = [];
  readonly mistakes: string[] = [];

  private constructor() {
    super((request, response) => void this.#answer(request, response));
  }

  static start(port = 0): Promise<FakeSpeechServer> {
    return new FakeSpeechServer().listen(port);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = "", url = "", headers } = request;
    if (method === "GET") this.gets++;
    else this.posts++;
    const json = (status: number, answer: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    if (this.apiKey !== null && headers.authorization !== `Bearer ${this.apiKey}`) {
      json(401, { detail: "who are you" });
      return;
    }
    if (this.status !== null) {
      json(this.status, { detail: "no" });
      return;
    }
    if (method === "GET" && url === this.listPath) {
      const answer = this.listOf([...this.voices]);
      await this.onList();
      json(200, answer);
      return;
    }
    if (method === "POST" && url === "/v1/audio/voices/prepare" && this.prepare) {
      const { status, body: answer, text } = this.prepare;
      if (text === undefined) json(status, answer);
      else response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(text);
      return;
    }
    if (method === "POST" && url === this.cloning?.path) {
      if (this.refuseClip) this.refuseClip(json);
      else await this.#clone(this.cloning, { body, type: headers["content-type"] ?? "" }, json);
      return;
    }
    if (method === "POST" && url === "/v1/audio/speech") {
      this.#speak(response, JSON.parse(body.toString()));
      return;
    }
    json(404, { detail: "Not Found" });
  }

  #speak(response: ServerResponse, body: unknown): void {
    const asked = speechSchema.safeParse(body);
    if (!asked.success) {
      this.mistakes.push(asked.error.message);
      response.writeHead(422).end();
      return;
    }
    this.spoken.push(asked.data);
    if (this.speech) this.speech(response, asked.data);
    else speakPcm(response, asked.data.input.length * 240);
  }

  async #clone(
    way: CloneWay,
    { body, type }: { body: Buffer; type: string },
    json: (status: number, answer: unknown) => void,
  ): Promise<void> {
    const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": type } })
      .formData()
      .catch(() => new FormData());
    const [name, file] = [form.get(way.name), form.get(way.file)];
    if (typeof name !== "string" || !(file instanceof Blob)) {
      json(422, { detail: [{ msg: "field required" }] });
      return;
    }
    this.clips.push({ name, bytes: Buffer.from(await file.arrayBuffer()), type: file.type });
    this.voices.push(name);
    json(200, await this.cloned(name));
  }
}

export function speakPcm(response: ServerResponse, count: number, type = "audio/pcm"): void {
  response.writeHead(200, { "Content-Type": type }).end(Buffer.from(new Int16Array(count).fill(3000).buffer));
}

export function speakWav(response: ServerResponse, count: number, sampleRate: number): void {
  response
    .writeHead(200, { "Content-Type": "audio/wav" })
    .end(wavFile(new Int16Array(count).fill(3000), sampleRate));
}
