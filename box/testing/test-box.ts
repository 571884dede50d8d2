// A whole box on a free port, with everything outside it replaced.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import { startBox, type RunningBox } from "../box.ts";
import { Models } from "../chat/models/models.ts";
import { readConfig } from "../config.ts";
import type { Media } from "../media/media.ts";
import type { MediaEngine } from "../live/engine.ts";
import type { FaceHooks, Faces } from "../live/faces.ts";
import { openMedia } from "../media/open.ts";
import { createLog } from "../ops/log.ts";
import type { VoiceProvider } from "../voices/voice.ts";
import { FakeEars } from "./fake-ears.ts";
import { FakeFaces } from "./fake-faces.ts";
import { FakeMedia } from "./fake-media.ts";
import { FakeModel } from "./fake-model.ts";
import { FakeRooms, joinBody } from "./fake-rooms.ts";
import { FakeVoice } from "./fake-voice.ts";
import { MicrophoneClient } from "./microphone-client.ts";
import { SocketClient } from "./socket-client.ts";

export const staticKey = "key-of-the-first-caller";
export const otherKey = "key-of-the-second-caller";

export interface TestBox extends RunningBox {
  media: FakeMedia;
  faces: FakeFaces;
  voice: FakeVoice;
  model: FakeModel;
  ears: FakeEars;
  rooms: FakeRooms;
  /** Joins a room that is there; the answer is left to be looked at. */
  join(options?: { key?: string; body?: object; token?: object; path?: string }): Promise<Response>;
  /** Lines logged so far. */
  logged: Record<string, unknown>[];
  /** A request with the first caller's key, unless told otherwise; a body that is no string is sent as JSON. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  connect(options?: { key?: string; body?: object }): Promise<{ session_id: string }>;
  /** Ends the box alone; `close` drops its clients first and clears up behind it. */
  end(): Promise<void>;
  socket(options?: { key?: string; query?: string }): Promise<SocketClient>;
  microphone(options?: { key?: string }): Promise<MicrophoneClient>;
}

export interface TestBoxParts {
  ears?: FakeEars;
  files?: Media;
  /** In place of the fake one. */
  engine?: VoiceProvider;
  /** In place of the one that plays nothing. */
  stages?: MediaEngine;
  /** A library in place of the fake one. */
  openFaces?: (stateDir: string, hooks: FaceHooks) => Promise<Faces>;
}

export interface AskOptions {
  method?: string;
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export async function startTestBox(
  environment: Record<string, string> = {},
  { ears = new FakeEars(), files = openMedia(), engine, openFaces, stages }: TestBoxParts = {},
): Promise<TestBox> {
  const stateDir = await mkdtemp(join(tmpdir(), "visavis-box-"));
  const logged: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split("\n")) if (line !== "") logged.push(JSON.parse(line));
      done();
    },
  });
  const [media, faces, voice, model] = [new FakeMedia(), new FakeFaces(), new FakeVoice(), new FakeModel()];
  const rooms = new FakeRooms();
  const sockets = new Set<SocketClient | MicrophoneClient>();
  const box = await startBox({
    config: readConfig({
      BOX_PORT: "0",
      BOX_ID: "test",
      VISAVIS_STATE: stateDir,
      SERVICE_API_KEYS: `${staticKey}, ${otherKey}`,
      ...environment,
    }),
    log: createLog("info", destination),
    engine: stages ?? media,
    media: files,
    engines: [engine ?? voice],
    models: new Models(modelCatalogue({ anthropic: false, residencyOptIn: [] }), [model]),
    ears,
    dialer: rooms,
    openFaces: (hooks) => openFaces?.(stateDir, hooks) ?? Promise.resolve(faces),
  });

  const ask = (path: string, { method, key = staticKey, body, headers = {} }: AskOptions = {}) =>
    fetch(box.url + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...(key ? { "X-Api-Key": key } : {}), ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" || body instanceof FormData ? body : JSON.stringify(body) }),
    });

  return {
    ...box,
    media,
    faces,
    voice,
    model,
    ears,
    rooms,
    logged,
    ask,
    join: ({ key = staticKey, body = {}, token = {}, path = "/rtc/join" } = {}) =>
      ask(path, { key, body: { ...joinBody(token), ...body } }),
    async connect({ key = staticKey, body = {} } = {}) {
      const answer = await ask("/connect", { key, body: { sdp: "v=0\r\n", type: "offer", ...body } });
      if (answer.status !== 200)
        throw new Error(`/connect answered ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as { session_id: string };
    },
    async socket({ key = staticKey, query = "" } = {}) {
      const url = `${box.url.replace("http", "ws")}/api/session/ws?session_token=${key}${query}`;
      const client = await SocketClient.open(url);
      sockets.add(client);
      return client;
    },
    async microphone({ key = staticKey } = {}) {
      const url = `${box.url.replace("http", "ws")}/api/voice/ws?session_token=${key}`;
      const client = await MicrophoneClient.open(url);
      sockets.add(client);
      return client;
    },
    end: () => box.close(),
    async close() {
      for (const socket of sockets) socket.drop();
      await box.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
