// Rooms through a client that gets stuck, as LiveKit's own does now and then. What it does when all is well is shown against a room
// server (test/rooms).

import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RoomListener } from "./connection.ts";
import type { LiveKit } from "./livekit-client.ts";
import { LiveKitDialer } from "./livekit.ts";

const never = () => new Promise<never>(() => undefined);

/** What one room of the client does; the first is taken first. */
interface Behaviour {
  connect?: () => Promise<void>;
  publish?: () => Promise<unknown>;
  disconnect?: () => Promise<void>;
  packets?: bigint;
  there?: string[];
}

class FakeRoom extends EventEmitter {
  static behaviours: Behaviour[] = [];
  static all: FakeRoom[] = [];
  readonly #behaviour = FakeRoom.behaviours.shift() ?? {};
  readonly remoteParticipants = new Map(
    (this.#behaviour.there ?? []).map((identity) => [
      identity,
      { identity, kind: 1, attributes: {}, trackPublications: new Map(), ffi_handle: handle() },
    ]),
  );
  readonly ffiHandle = handle();
  readonly localParticipant = {
    trackPublications: new Map(),
    ffi_handle: handle(),
    registerRpcMethod: () => undefined,
    publishTrack: () => this.#behaviour.publish?.() ?? Promise.resolve(),
  };
  left = 0;

  constructor() {
    super();
    FakeRoom.all.push(this);
  }

  connect = () => this.#behaviour.connect?.() ?? Promise.resolve();
  disconnect = () => {
    this.left++;
    return this.#behaviour.disconnect?.() ?? Promise.resolve();
  };
  getRtcStats = () => {
    const sent = {
      stats: { case: "outboundRtp", value: { sent: { packetsSent: this.#behaviour.packets ?? 1n } } },
    };
    return Promise.resolve({ publisherStats: [sent, sent] });
  };
  registerByteStreamHandler = () => undefined;
  registerTextStreamHandler = () => undefined;
  unregisterByteStreamHandler = () => undefined;
  unregisterTextStreamHandler = () => undefined;
}

function handle() {
  const made = { disposed: 0, dispose: () => made.disposed++ };
  return made;
}

const track = () => ({ close: () => Promise.resolve() });
const client = {
  Room: FakeRoom,
  RoomEvent: { Disconnected: "disconnected", ParticipantConnected: "in", ParticipantDisconnected: "out" },
  DisconnectReason: {},
  ParticipantKind: { AGENT: 1 },
  AudioSource: Object,
  VideoSource: Object,
  LocalAudioTrack: { createAudioTrack: track },
  LocalVideoTrack: { createVideoTrack: track },
  TrackPublishOptions: Object,
  TrackSource: {},
  VideoCodec: {},
  dispose: () => Promise.resolve(),
} as unknown as LiveKit;

const told: string[] = [];
const listener: RoomListener = {
  joined: ({ identity }) => told.push(`${identity} came`),
  left: (identity) => told.push(`${identity} left`),
  sound: () => undefined,
  message: () => undefined,
  clearBuffer: () => "ok",
  reconnecting: () => undefined,
  reconnected: () => undefined,
  over: (how) => told.push(how),
};
const size = { width: 2, height: 2 };

const dial = (signal = new AbortController().signal) =>
  new LiveKitDialer(() => Promise.resolve(client)).dial({ url: "ws://room", token: "t", listener, signal });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  FakeRoom.behaviours = [];
  FakeRoom.all = [];
  told.length = 0;
});

afterEach(() => vi.useRealTimers());

/** Lets the fake clock run while the real event loop turns. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await vi.advanceTimersByTimeAsync(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("a room that does not connect is tried once more, and the first is left if it comes through after all", async () => {
  const late = Promise.withResolvers<void>();
  FakeRoom.behaviours = [{ connect: () => late.promise }];
  const dialled = dial();
  await pass(16_000);
  const connection = await dialled;
  expect(FakeRoom.all).toHaveLength(2);
  expect(FakeRoom.all[0]?.left).toBe(0);
  late.resolve();
  await pass(1_000);
  expect(FakeRoom.all[0]?.left).toBe(1);
  expect(FakeRoom.all[1]?.left).toBe(0);
  await connection.close();
});

it("two that do not connect are the end of it", async () => {
  FakeRoom.behaviours = [{ connect: never }, { connect: never }];
  const dialled = dial().catch((error: unknown) => String(error));
  await pass(31_000);
  expect(await dialled).toMatch(/took too long/);
  expect(FakeRoom.all).toHaveLength(2);
});

it("a refusal is one at once", async () => {
  FakeRoom.behaviours = [{ connect: () => Promise.reject(new Error("401 Unauthorized")) }];
  await expect(dial()).rejects.toThrow("401");
  expect(FakeRoom.all).toHaveLength(1);
});

it.each([
  ["says nothing of a track", { publish: never }],
  ["gives up over a track", { publish: () => Promise.reject(new Error("track publication timed out")) }],
  ["takes tracks and sends nothing", { packets: 0n }],
] as [string, Behaviour][])("a room that %s is left for another", async (_, behaviour) => {
  FakeRoom.behaviours = [{ ...behaviour, disconnect: never, there: ["ann", "ben"] }, { there: ["ann"] }];
  const connection = await dial();
  const { published } = connection.publish(size);
  await vi.waitFor(async () => {
    await pass(500);
    expect(FakeRoom.all).toHaveLength(2);
  });
  await pass(1_000);
  // Both are sent once the second has them; the fakes' looks take real time.
  await published;
  expect(told).toEqual(["ann came", "ben came", "ann came", "ben left"]);
  FakeRoom.all[0]?.emit("disconnected");
  expect(told).not.toContain("lost");
  const closed = connection.close();
  await pass(4_000);
  await closed;
  for (const room of FakeRoom.all) {
    expect(room.left).toBe(1);
    expect(room.ffiHandle.disposed).toBe(1);
    expect(room.localParticipant.ffi_handle.disposed).toBe(1);
  }
});

it("a second room that gets stuck is the end of the join", async () => {
  FakeRoom.behaviours = [{ publish: never }, { publish: never }];
  const connection = await dial();
  const published = connection.publish(size).published.catch((error: unknown) => String(error));
  await pass(22_000);
  expect(await published).toMatch(/timed out/);
  expect(FakeRoom.all).toHaveLength(2);
  await connection.close();
});

it("a room that is left while another takes its place leaves both", async () => {
  const late = Promise.withResolvers<void>();
  FakeRoom.behaviours = [{ publish: never }, { connect: () => late.promise }];
  const connection = await dial();
  const published = connection.publish(size).published.catch((error: unknown) => String(error));
  await pass(11_000);
  expect(FakeRoom.all).toHaveLength(2);
  await connection.close();
  late.resolve();
  expect(await published).toMatch(/has been left/);
  expect(FakeRoom.all.map(({ left }) => left)).toEqual([1, 1]);
});
