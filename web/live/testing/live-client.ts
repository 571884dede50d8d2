// A client that is live with a fake service, socket, peer and microphone.

import { vi } from "vitest";
import { type Client, createClient } from "../../sdk/index.ts";
import { FakeAudio } from "../../sdk/testing/fake-audio.ts";
import { FakePeer, installFakePeer } from "../../sdk/testing/fake-peer.ts";
import { answerFor, FakeService } from "../../sdk/testing/fake-service.ts";
import { FakeSocket, installFakeSocket } from "../../sdk/testing/fake-socket.ts";

/** Returns the microphone that the browser would have. Timers are the test's from here on. */
export function installLive(): FakeAudio {
  vi.useFakeTimers();
  installFakeSocket();
  installFakePeer();
  new FakeService()
    .on("POST /connect", () => ({ body: answerFor("s") }))
    .on("POST /disconnect", () => ({ body: { ok: true } }))
    .install();
  return new FakeAudio().install();
}

export function removeLive(): void {
  vi.useRealTimers();
  vi.unstubAllGlobals();
}

export const makeClient = (): Client =>
  createClient({ baseUrl: "https://face.test", credential: "k", microphoneWorkletUrl: "/worklet.js" });

export const control = (): FakeSocket => FakeSocket.at("/api/session/ws");
export const voice = (): FakeSocket => FakeSocket.at("/api/voice/ws");

/** What the box does after the client has offered. */
export async function answerLive(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
  control().accept();
  control().receive({
    type: "session_ready",
    sessionId: "s",
    avatar: "maya",
    tones: ["neutral", "warm"],
  });
  FakePeer.last.become("connected");
}

/** What the box does after the microphone has dialled. */
export async function listen(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
  voice().accept();
  voice().receive({ type: "ready", sample_rate: 16_000, voice_origin: "box" });
}

export const userMessage = (content: string, id = "u") => ({
  type: "user_message" as const,
  id,
  role: "user" as const,
  content,
  correlationId: null,
});
