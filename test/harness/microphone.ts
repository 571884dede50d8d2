// A microphone outside the browser: speaks recordings into the microphone socket as fast as a person does.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import type { MicrophoneEvent, MicrophoneEventType } from "../../contract/microphone-socket.ts";

export const sampleRate = 16_000;
const frameSamples = sampleRate / 50;

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

/** Samples of a 16 kHz mono WAV file of 16 bits, as the ones below are. */
export function readWav(path: string): Int16Array {
  const file = readFileSync(path);
  const dataAt = file.indexOf("data", 12, "latin1");
  const bytes = file.subarray(dataAt + 8, dataAt + 8 + Math.min(file.readUInt32LE(dataAt + 4), file.length));
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
}

/** Something said by espeak-ng, at the microphone's rate, with silence at its ends cut off. */
export function spoken(text: string, voice = "en-us"): Int16Array {
  const folder = mkdtempSync(join(tmpdir(), "visavis-speech-"));
  try {
    const [raw, wav] = [join(folder, "raw.wav"), join(folder, "speech.wav")];
    execFileSync("espeak-ng", ["-v", voice, "-s", "140", "-w", raw, text]);
    execFileSync("ffmpeg", ["-loglevel", "error", "-i", raw, "-ar", String(sampleRate), "-ac", "1", wav]);
    const samples = readWav(wav);
    const loud = (sample: number) => Math.abs(sample) > 200;
    return samples.slice(samples.findIndex(loud), samples.findLastIndex(loud) + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stretches of sound with silences of the given length between them. */
export function withPauses(parts: readonly Int16Array[], pauseMs: number): Int16Array {
  const pause = new Int16Array(Math.round((pauseMs / 1000) * sampleRate));
  const all = parts.flatMap((part, index) => (index === 0 ? [part] : [pause, part]));
  const joined = new Int16Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
