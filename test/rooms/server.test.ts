// The tests' room server, proved with LiveKit's own client on both sides: what the avatar's tests build on.

import { randomUUID } from "node:crypto";
import { dispose, DisconnectReason, ParticipantKind, type ByteStreamReader } from "@livekit/rtc-node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { TokenOptions } from "./server/tokens.ts";
import { isReal, openService, type Service } from "./service.ts";
import { audible, pitch, Visitor } from "./visitor.ts";

let service: Service;
let visitors: Visitor[] = [];

beforeAll(async () => {
  service = await openService();
});

afterEach(async () => {
  for (const visitor of visitors) await visitor.leave();
  visitors = [];
});

afterAll(async () => {
  await service?.stop();
  await dispose();
});

async function enter(options: TokenOptions, connect?: { autoSubscribe?: boolean }): Promise<Visitor> {
  const visitor = await Visitor.enter(service.url, await service.mint(options), connect);
  visitors.push(visitor);
  return visitor;
}

const own = () => {
  if (!service.own) throw new Error("Only the tests' own server can do this.");
  return service.own;
};

it("lets nobody in whose token is forged, expired or for no room", async () => {
  const room = service.roomName();
  const base = { identity: "stranger", room };
  await expect(enter({ ...base, secret: "another secret than the server's own one" })).rejects.toThrow(/401/);
  await expect(enter({ ...base, ttl: -60 })).rejects.toThrow(/401/);
  await expect(enter({ ...base, key: "somebody" })).rejects.toThrow(/401/);
  await expect(enter({ ...base, grants: { roomJoin: false } })).rejects.toThrow(/40[13]/);
});

it("tells everybody who is in, of what kind, with which attributes", async () => {
  const room = service.roomName();
  const first = await enter({ identity: "first", room });
  await enter({ identity: "agent", room, kind: "agent", attributes: { "lk.publish_on_behalf": "first" } });
  await expect.poll(() => first.count("entered", "agent")).toBe(1);
  const seen = first.room.remoteParticipants.get("agent");
  expect(seen?.kind).toBe(ParticipantKind.AGENT);
  expect(seen?.attributes).toEqual({ "lk.publish_on_behalf": "first" });

  const third = await enter({ identity: "third", room, grants: { canUpdateOwnMetadata: true } });
  expect([...third.room.remoteParticipants.keys()].sort()).toEqual(["agent", "first"]);
  await third.local.setAttributes({ mood: "warm" });
  await expect.poll(() => first.room.remoteParticipants.get("third")?.attributes).toEqual({ mood: "warm" });
  await third.leave();
  await expect.poll(() => first.count("left", "third")).toBe(1);
  expect((await service.admin.listParticipants(room)).map(({ identity }) => identity).sort()).toEqual([
    "agent",
    "first",
  ]);
});

it("carries packets, streams and calls to those they are meant for", async () => {
  const room = service.roomName();
  const [a, b, c] = [
    await enter({ identity: "a", room }),
    await enter({ identity: "b", room }),
    await enter({ identity: "c", room }),
  ];
  const streams: { name: string; attributes: Record<string, string>; bytes: number; from: string }[] = [];
  const take = async (reader: ByteStreamReader, { identity }: { identity: string }) => {
    const chunks = await reader.readAll();
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    streams.push({ name: reader.info.name, attributes: reader.info.attributes ?? {}, bytes, from: identity });
  };
  b.room.registerByteStreamHandler("lk.audio_stream", (reader, info) => void take(reader, info));
  const strays: string[] = [];
  c.room.registerByteStreamHandler("lk.audio_stream", (reader) => void strays.push(reader.info.name));
  const texts: string[] = [];
  for (const each of [b, c]) {
    each.room.registerTextStreamHandler("news", (reader) => {
      void reader.readAll().then((text) => texts.push(text));
    });
  }
  b.local.registerRpcMethod(
    "greet",
    async ({ callerIdentity, payload }) => `${callerIdentity} said ${payload}`,
  );

  const writer = await a.local.streamBytes({
    name: "AUDIO_1",
    topic: "lk.audio_stream",
    destinationIdentities: ["b"],
    attributes: { sample_rate: "24000", num_channels: "1" },
  });
  for (let chunk = 0; chunk < 20; chunk += 1) await writer.write(new Uint8Array(9600));
  await writer.close();
  await a.local.sendText("all hear this", { topic: "news" });
  await a.local.publishData(Buffer.from("quick"), {
    reliable: false,
    topic: "vv.tone",
    destination_identities: ["c"],
  });
  const answer = await a.local.performRpc({ destinationIdentity: "b", method: "greet", payload: "hi" });

  expect(answer).toBe("a said hi");
  await expect.poll(() => texts).toEqual(["all hear this", "all hear this"]);
  await expect
    .poll(() => streams)
    .toMatchObject([
      {
        name: "AUDIO_1",
        attributes: { sample_rate: "24000", num_channels: "1" },
        bytes: 192_000,
        from: "a",
      },
    ]);
  await expect.poll(() => c.count("data vv.tone", "a: quick")).toBe(1);
  expect(b.count("data vv.tone")).toBe(0);
  expect(strays).toEqual([]);
  const unknown = a.local.performRpc({ destinationIdentity: "b", method: randomUUID(), payload: "" });
  await expect(unknown).rejects.toMatchObject({ code: 1400 });
});

it("forwards sound and pictures, to those who are there and to those who come later", async () => {
  const room = service.roomName();
  const listener = await enter({ identity: "listener", room });
  const speaker = await enter({ identity: "speaker", room });
  const speech = await speaker.speakTone(440);
  await speaker.showGradient();
  const late = await enter({ identity: "late", room });
  for (const visitor of [listener, late]) {
    await expect.poll(() => visitor.heard("speaker").filter(audible).length).toBeGreaterThan(100);
    await expect.poll(() => visitor.seen("speaker").length).toBeGreaterThan(50);
    const steady = visitor.heard("speaker").filter(audible).slice(-80);
    expect(Math.round(pitch(steady))).toBeGreaterThan(430);
    expect(Math.round(pitch(steady))).toBeLessThan(450);
    const last = visitor.seen("speaker").at(-1);
    expect(last).toMatchObject({ width: 320, height: 320 });
    // A full gradient from 0 to 255 spreads by 74.
    expect(last?.spread).toBeGreaterThan(50);
  }
  const pictures = listener.seen("speaker").slice(-26);
  const spanMs = (pictures.at(-1)?.mediaMs ?? 0) - (pictures[0]?.mediaMs ?? 0);
  expect(spanMs / 25).toBeGreaterThan(30);

  await speech.stop();
  await expect.poll(() => listener.count("unpublished", "tone")).toBe(1);
  await speaker.speakTone(880, "again");
  await expect.poll(() => Math.round(pitch(listener.heard("speaker").slice(-50)) / 10)).toBe(88);
});

it("subscribes nobody who did not ask for it", async () => {
  const room = service.roomName();
  const picky = await enter({ identity: "picky", room }, { autoSubscribe: false });
  const speaker = await enter({ identity: "speaker", room });
  await speaker.speakTone(440);
  await expect.poll(() => picky.count("published", "tone")).toBe(1);
  const publication = [
    ...(picky.room.remoteParticipants.get("speaker")?.trackPublications.values() ?? []),
  ][0];
  expect(publication?.subscribed).toBe(false);
  expect(picky.count("subscribed")).toBe(0);
  publication?.setSubscribed(true);
  await expect.poll(() => picky.heard("speaker").filter(audible).length).toBeGreaterThan(20);
});

it("sends away who is kicked, replaced, or whose room is deleted, and says why", async () => {
  const room = service.roomName();
  const stays = await enter({ identity: "stays", room });
  const kicked = await enter({ identity: "kicked", room });
  await service.admin.removeParticipant(room, "kicked");
  await expect.poll(() => kicked.count("disconnected", DisconnectReason.PARTICIPANT_REMOVED)).toBe(1);
  await expect.poll(() => stays.count("left", "kicked")).toBe(1);

  const replaced = await enter({ identity: "twin", room });
  await enter({ identity: "twin", room });
  await expect.poll(() => replaced.count("disconnected", DisconnectReason.DUPLICATE_IDENTITY)).toBe(1);

  await service.admin.deleteRoom(room);
  await expect.poll(() => stays.count("disconnected", DisconnectReason.ROOM_DELETED)).toBe(1);
  await expect(service.admin.removeParticipant(room, "stays")).rejects.toThrow();
});

// A real server has no switch for its own cables.
it.skipIf(isReal)("lets a client resume whose socket broke, without anybody noticing", async () => {
  const room = service.roomName();
  const listener = await enter({ identity: "listener", room });
  const speaker = await enter({ identity: "speaker", room });
  await speaker.speakTone(440);
  await expect.poll(() => listener.heard("speaker").filter(audible).length).toBeGreaterThan(20);
  own().cutSignal("speaker");
  await expect.poll(() => speaker.count("reconnected")).toBe(1);
  const soFar = listener.heard("speaker").filter(audible).length;
  await expect.poll(() => listener.heard("speaker").filter(audible).length).toBeGreaterThan(soFar + 50);
  expect(listener.count("left")).toBe(0);
  expect(listener.count("subscribed")).toBe(1);
  listener.local.registerRpcMethod("still there", async () => "yes");
  const asked = { destinationIdentity: "listener", method: "still there", payload: "" };
  expect(await speaker.local.performRpc(asked)).toBe("yes");
});

it.skipIf(isReal)("takes clients back that must begin again, with the token it gave them last", async () => {
  const room = service.roomName();
  const listener = await enter({ identity: "listener", room });
  const speaker = await enter({ identity: "speaker", room, attributes: { token: "first" } });
  await speaker.speakTone(440);
  await expect.poll(() => listener.heard("speaker").filter(audible).length).toBeGreaterThan(20);

  const second = await service.mint({ identity: "speaker", room, attributes: { token: "second" } });
  own().refreshToken("speaker", second);
  // Whom nobody lets in for a while does not resume any more.
  own().cutSignal("speaker", { refuseForMs: 300 });
  await expect.poll(() => speaker.count("reconnected")).toBe(1);
  await expect.poll(() => listener.count("subscribed")).toBe(2);
  expect(listener.room.remoteParticipants.get("speaker")?.attributes).toEqual({ token: "second" });
  const soFar = listener.heard("speaker").filter(audible).length;
  await expect.poll(() => listener.heard("speaker").filter(audible).length).toBeGreaterThan(soFar + 50);

  own().forceReconnect("listener");
  await expect.poll(() => listener.count("reconnected")).toBe(1);
  const before = listener.heard("speaker").filter(audible).length;
  await expect.poll(() => listener.heard("speaker").filter(audible).length).toBeGreaterThan(before + 50);
});
