// A box in a room, as an agent that was written with LiveKit's frameworks meets it: the real box, its real stage, LiveKit's
// client at both ends.

import { dispose, ParticipantKind, TrackKind, TrackSource } from "@livekit/rtc-node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Meeting, second, seconds, Venue } from "./meeting.ts";
import { audible, pitch, tone } from "./visitor.ts";

let venue: Venue;

beforeAll(async () => {
  venue = await Venue.open();
});

afterEach(() => venue.clear());

afterAll(async () => {
  await venue?.close();
  await dispose();
});

it("publishes its voice and its face before anybody speaks: moving pictures, and silence", async () => {
  const meeting = await venue.meet();
  const answer = await meeting.join();
  expect(answer).toMatchObject({ ok: true, identity: venue.avatar, room: meeting.room });
  await meeting.seen();

  const avatar = meeting.agent.visitor.room.remoteParticipants.get(venue.avatar);
  expect(avatar?.kind).toBe(ParticipantKind.AGENT);
  expect(avatar?.attributes["lk.publish_on_behalf"]).toBe("agent");
  const tracks = [...(avatar?.trackPublications.values() ?? [])];
  expect(tracks.map(({ name, kind, source }) => ({ name, kind, source }))).toEqual(
    expect.arrayContaining([
      { name: "avatar_audio", kind: TrackKind.KIND_AUDIO, source: TrackSource.SOURCE_MICROPHONE },
      { name: "avatar_video", kind: TrackKind.KIND_VIDEO, source: TrackSource.SOURCE_CAMERA },
    ]),
  );
  expect(tracks).toHaveLength(2);
  expect(tracks.find(({ name }) => name === "avatar_video")?.mimeType?.toLowerCase()).toBe("video/h264");

  const pictures = () => meeting.agent.visitor.seen(venue.avatar);
  await expect.poll(() => pictures().length).toBeGreaterThan(100);
  const some = pictures().slice(-76);
  const spanMs = (some.at(-1)?.mediaMs ?? 0) - (some[0]?.mediaMs ?? 0);
  // 25 a second, of which a busy machine loses some: how many is a matter of its speed.
  expect((75 * 1000) / spanMs).toBeLessThan(30);
  for (const { spread, mean } of some) {
    expect(mean).toBeGreaterThan(20);
    expect(spread).toBeGreaterThan(15);
  }
  // The idle loop breathes: no two seconds look the same.
  expect(new Set(some.map(({ mean }) => mean.toFixed(3))).size).toBeGreaterThan(10);
  expect(meeting.audible()).toEqual([]);

  expect((await meeting.leave()).body).toMatchObject({ left: true, room: meeting.room });
  await expect.poll(() => meeting.agent.visitor.count("left", venue.avatar)).toBe(1);
  expect((await meeting.leave()).body).toMatchObject({ left: false });
});

it("says what the agent sends, to everybody, and tells the agent when it began and ended", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  const guest = await venue.visitor(meeting.room, "guest");
  await meeting.seen();
  await meeting.agent.say(seconds(2));

  const end = await meeting.finished(1);
  expect(end).toMatchObject({ interrupted: false, synchronized_transcript: null });
  expect(end?.playback_position).toBeCloseTo(2, 1);
  expect(meeting.agent.started).toHaveLength(1);
  for (const visitor of [meeting.agent.visitor, guest]) {
    const heard = () => visitor.heard(venue.avatar).filter(audible);
    await expect.poll(() => heard().length).toBeGreaterThan(180);
    expect(heard().length).toBeLessThan(225);
    expect(Math.abs(pitch(heard().slice(20, 180)) - 440)).toBeLessThan(15);
  }
  await meeting.agent.say(second(600));
  expect((await meeting.finished(2))?.playback_position).toBeCloseTo(1, 1);
  expect(meeting.agent.started).toHaveLength(2);
});

it("speaks for an agent that does not want to know when it begins", async () => {
  const room = venue.service.roomName();
  const agent = await venue.agent(room, "agent", { started: false });
  const meeting = new Meeting(venue, room, agent);
  await meeting.join();
  await meeting.seen();
  await agent.say(seconds(0.5));
  await agent.say(seconds(0.7));
  await meeting.finished(2);
  expect(agent.finished.map(({ interrupted }) => interrupted)).toEqual([false, false]);
  expect(agent.finished[1]?.playback_position).toBeCloseTo(0.7, 1);
});

it("takes every rate from 8 to 48 kHz, one channel or two, in pieces of any size", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  let count = 0;
  for (const rate of [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]) {
    await meeting.agent.say(second(440, rate), { rate });
    count += 1;
    expect((await meeting.finished(count))?.playback_position, `${rate} Hz`).toBeCloseTo(1, 1);
  }
  const mono = second();
  const stereo = Int16Array.from({ length: mono.length * 2 }, (_, index) => mono[index >> 1] ?? 0);
  const before = meeting.heard().length;
  await meeting.agent.say(stereo, { channels: 2 });
  expect((await meeting.finished(count + 1))?.playback_position).toBeCloseTo(1, 1);
  await expect.poll(() => meeting.audible(before).length).toBeGreaterThan(90);
  expect(Math.abs(pitch(meeting.audible(before).slice(10, 90)) - 440)).toBeLessThan(15);

  const segment = await meeting.agent.open();
  const bytes = second();
  for (let at = 0, piece = 1; at < bytes.length; at += piece, piece = (piece * 7 + 3) % 2999) {
    await segment.write(bytes.slice(at, at + piece));
  }
  await segment.close();
  expect((await meeting.finished(count + 2))?.playback_position).toBeCloseTo(1, 1);
});

it("ignores a stream that does not say what it is, and goes on", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  for (const attributes of [
    {},
    { sample_rate: "0", num_channels: "1" },
    { sample_rate: "24000", num_channels: "x" },
  ]) {
    const writer = await meeting.agent.visitor.local.streamBytes({
      name: "AUDIO_odd",
      topic: "lk.audio_stream",
      destinationIdentities: [venue.avatar],
      attributes: attributes as Record<string, string>,
    });
    await writer.write(new Uint8Array(second().buffer));
    await writer.close();
  }
  expect(await meeting.settle()).toBe(0);
});

it("wears the tone that the agent asks for, in each of the ways that are in use", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  const { local } = meeting.agent.visitor;
  const unreliable = { reliable: true, destination_identities: [venue.avatar] };
  await local.publishData(Buffer.from('{"tone":"happy"}'), { ...unreliable, topic: "vv.tone" });
  await local.sendText("emotion:sad", { topic: "lk.control" });
  await local.sendText("well", {
    topic: "lk.transcription",
    attributes: { "lk.expression": '{"value":"warm"}' },
  });
  await local.publishData(Buffer.from("not a tone at all"), { ...unreliable, topic: "vv.tone" });
  // None of them is sound, and none may disturb it; which loop is shown is the business of the box's own tests.
  await meeting.agent.say(tone({ hertz: 440, from: 0, count: 12_000, rate: 24_000 }));
  expect((await meeting.finished(1))?.playback_position).toBeCloseTo(0.5, 1);
});
