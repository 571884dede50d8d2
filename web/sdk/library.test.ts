import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { offerRequestSchema } from "../../contract/live.ts";
import { createClient } from "./index.ts";
import { FakePeer, installFakePeer } from "./testing/fake-peer.ts";
import { answerFor, FakeService } from "./testing/fake-service.ts";
import { FakeSocket, installFakeSocket } from "./testing/fake-socket.ts";

let service: FakeService;
const client = () => createClient({ baseUrl: "https://face.test", credential: "k" });

beforeEach(() => {
  service = new FakeService().install();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("clips", () => {
  it("are listed, made again and fetched under the avatar's id, whatever is in it", async () => {
    service
      .on("GET /api/avatar/clips", () => ({ body: { avatar: "a&b", clips: [] } }))
      .on("POST /api/avatar/clips/retry", () => ({ status: 202, body: {} }))
      .on("GET /api/avatar/clip", () => ({ body: "mp4" }));
    expect(await client().clips("a&b")).toEqual({ avatar: "a&b", clips: [] });
    await client().retryClip("a&b", "sad");
    expect(await (await client().clip("a&b", "sad")).text()).toBe("mp4");
    expect(service.asked.map(({ path, body }) => [path, body])).toEqual([
      ["/api/avatar/clips?avatar=a%26b", null],
      ["/api/avatar/clips/retry", { avatar: "a&b", tone: "sad" }],
      ["/api/avatar/clip?avatar=a%26b&tone=sad", null],
    ]);
  });
});

describe("voices", () => {
  it("are asked for, afresh where that is wanted, and heard", async () => {
    service
      .on("GET /api/voices", () => ({ body: { groups: [] } }))
      .on("GET /api/voice/preview", () => ({ body: "wav" }))
      .on("POST /api/voice/preview", () => ({
        status: 429,
        body: { error: { code: "preview_rate_limited", message: "Wait." } },
        headers: { "Retry-After": "20" },
      }));
    await client().voices();
    await client().voices({ refresh: true });
    const sample = await client().voiceSample("/api/voice/preview?provider=local&voice=nora");
    expect(await sample.text()).toBe("wav");
    const line = { provider: "local" as const, voice: "nora", text: "Hello." };
    await expect(client().previewVoice(line)).rejects.toMatchObject({
      code: "preview_rate_limited",
      retryAfterSeconds: 20,
    });
    expect(service.asked.map(({ path }) => path)).toEqual([
      "/api/voices",
      "/api/voices?refresh=1",
      "/api/voice/preview?provider=local&voice=nora",
      "/api/voice/preview",
    ]);
    expect(service.asked.at(-1)?.body).toEqual(line);
  });
});

describe("a session that speaks a sound file", () => {
  it("is offered with the file once, and without it after the connection broke", async () => {
    vi.useFakeTimers();
    installFakeSocket();
    installFakePeer();
    service
      .on("POST /offer", () => ({ body: answerFor("one") }))
      .on("POST /connect", () => ({ body: answerFor("one") }));
    const live = client();
    await live.connect({ avatar: "maya", audio: "song.wav" });
    await vi.advanceTimersByTimeAsync(0);
    FakeSocket.last.accept();
    FakeSocket.last.receive({ type: "session_ready", sessionId: "one", avatar: "maya", tones: ["neutral"] });
    FakePeer.last.become("connected");
    const [first] = service.asking("/offer");
    expect(offerRequestSchema.parse(first?.body)).toMatchObject({ audio: "song.wav", avatar: "maya" });
    FakePeer.last.become("failed");
    await vi.advanceTimersByTimeAsync(2_000);
    FakeSocket.last.accept();
    FakeSocket.last.receive({ type: "session_ready", sessionId: "one", avatar: "maya", tones: ["neutral"] });
    await vi.advanceTimersByTimeAsync(0);
    expect([service.asking("/offer").length, service.asking("/connect").length]).toEqual([1, 1]);
    expect(service.asking("/connect")[0]?.body).not.toHaveProperty("audio");
  });
});
