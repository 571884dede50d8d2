// A microphone outside the browser: speaks recordings into the microphone socket as fast as a person does.

import { WebSocket } from "ws";
import {
  microphoneSampleRate,
  type MicrophoneEvent,
  type MicrophoneEventType,
} from "../../contract/microphone-socket.ts";

const frameSamples = microphoneSampleRate / 50;

export type HeardEvent = MicrophoneEvent & { atMs: number };

export interface Microphone {
  events: HeardEvent[];
  closed: Promise<{ code: number; reason: string }>;
  /** The first event of a type from index `after` on. Rejects when the socket closes before. */
  event<Type extends MicrophoneEventType>(
    type: Type,
    after?: number,
  ): Promise<Extract<MicrophoneEvent, { type: Type }> & { atMs: number }>;
  /**
   * Speaks in real time, then goes back to silence. Resolves with performance.now() of its last sample.
   * Between two calls the microphone sends silence, as an open one does.
   */
  speak(samples: Int16Array): Promise<number>;
  send(message: object): void;
  close(): void;
}

/** Opens the microphone socket; sending begins once it is ready. */
export async function openMicrophone(url: string, query = ""): Promise<Microphone> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/api/voice/ws${query}`);
  const events: HeardEvent[] = [];
  const watchers = new Set<() => void>();
  socket.on("message", (data) => {
    events.push({ ...(JSON.parse(data.toString()) as MicrophoneEvent), atMs: performance.now() });
    for (const watch of watchers) watch();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.on("error", () => undefined);

  let speech: { samples: Int16Array; at: number; said: (atMs: number) => void } | null = null;
  const frame = (): Buffer => {
    const pcm = Buffer.alloc(frameSamples * 2);
    if (!speech) return pcm;
    const part = speech.samples.subarray(speech.at, speech.at + frameSamples);
    Buffer.from(part.buffer, part.byteOffset, part.byteLength).copy(pcm);
    speech.at += frameSamples;
    if (speech.at >= speech.samples.length) {
      speech.said(performance.now());
      speech = null;
    }
    return pcm;
  };
  let sentFrames = 0;
  let startedAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    // A timer that fires late is caught up with, so that the sound keeps its pace.
    for (; sentFrames * 20 < performance.now() - startedAtMs; sentFrames += 1) socket.send(frame());
  };
  void closed.then(() => clearInterval(timer));

  const refuseWhenClosed = async (type: string, reject: (error: Error) => void) => {
    const { code, reason } = await closed;
    const had = events.map((event) => event.type).join(", ");
    reject(new Error(`The microphone closed with ${code} (${reason}) before ${type}; it had ${had}.`));
  };

  const microphone: Microphone = {
    events,
    closed,
    event: (type, after = 0) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const found = events.slice(after).find((event) => event.type === type);
          if (!found) return;
          watchers.delete(watch);
          resolve(found as Awaited<ReturnType<Microphone["event"]>> as never);
        };
        watchers.add(watch);
        watch();
        void refuseWhenClosed(type, reject);
      }),
    speak: (samples) =>
      new Promise((resolve) => {
        speech = { samples, at: 0, said: resolve };
      }),
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
  await microphone.event("ready");
  startedAtMs = performance.now();
  timer = setInterval(send, 10);
  return microphone;
}
