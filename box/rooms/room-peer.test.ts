import { expect, test } from "vitest";
import type { MediaPacket } from "../../native/binding/index.js";
import { RoomPeer } from "./room-peer.ts";

function open() {
  const sounds: Int16Array[] = [];
  const times: bigint[] = [];
  const states: string[] = [];
  let closed = 0;
  const peer = new RoomPeer({
    connection: {
      close: () => {
        closed++;
        return Promise.resolve();
      },
    },
    tracks: {
      sound: (samples) => void sounds.push(samples),
      picture: (_, timeUs) => void times.push(timeUs),
    },
    onState: (state) => void states.push(state),
  });
  return { peer, sounds, times, states, closed: () => closed };
}

const sound = (value: number): MediaPacket => ({
  kind: "audio",
  data: Buffer.from(new Int16Array(960).fill(value).buffer),
  timestamp: 0,
  keyframe: false,
  speech: true,
});
const picture = (timestamp: number): MediaPacket => ({
  kind: "video",
  data: Buffer.alloc(24),
  timestamp,
  keyframe: true,
  speech: false,
});

test("samples come out as the stage made them", async () => {
  const { peer, sounds } = open();
  peer.sendAudio(sound(-300));
  await Promise.resolve();
  expect(sounds).toEqual([new Int16Array(960).fill(-300)]);
});

test("of what comes late in one go the room gets the end alone", async () => {
  const { peer, sounds } = open();
  for (let i = 0; i < 50; i++) peer.sendAudio(sound(i));
  await Promise.resolve();
  expect(sounds.map(([first]) => first)).toEqual([42, 43, 44, 45, 46, 47, 48, 49]);
  peer.sendAudio(sound(50));
  await Promise.resolve();
  expect(sounds.at(-1)?.[0]).toBe(50);
});

test("pictures keep the stage's time, also where its clock begins anew", () => {
  const { peer, times } = open();
  const last = 2 ** 32 - 3600;
  for (const timestamp of [0, 3600, 7200]) peer.sendVideo(picture(timestamp));
  expect(times).toEqual([1n, 40_001n, 80_001n]);
  peer.sendVideo(picture(last));
  const before = times.at(-1) ?? 0n;
  peer.sendVideo(picture(0));
  expect((times.at(-1) ?? 0n) - before).toBe(40_000n);
});

test("its end is told once, and nothing is sent after it", async () => {
  const { peer, sounds, times, states, closed } = open();
  peer.become("disconnected");
  peer.become("connected");
  peer.become("failed");
  peer.become("connected");
  peer.become("closed");
  expect(states).toEqual(["disconnected", "connected", "failed"]);
  expect(peer.sendAudio(sound(1))).toBe(false);
  expect(peer.sendVideo(picture(1))).toBe(false);
  await peer.close();
  expect(closed()).toBe(1);
  expect([sounds, times]).toEqual([[], []]);
});
