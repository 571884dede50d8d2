// The room routes, with rooms that a test opens and shuts.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import {
  roomJoinAnswerSchema,
  roomLeaveAnswerSchema,
  roomReadinessSchema,
  roomStatusSchema,
} from "../../contract/rooms.ts";
import { otherKey, startTestBox, type AskOptions, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
const start = async (environment: Record<string, string> = {}) => {
  await box?.close();
  box = await startTestBox(environment);
};
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

const refusal = async (answer: Response) => ({
  status: answer.status,
  code: structuredErrorSchema.strict().parse(await answer.json()).error.code,
});
const status = async (path = "/rtc/status", options: AskOptions = {}) =>
  roomStatusSchema.strict().parse(await (await box.ask(path, options)).json());
const leave = (room_name?: string, options: AskOptions = {}) =>
  box.ask("/rtc/leave", {
    method: "POST",
    ...(room_name === undefined ? {} : { body: { room_name } }),
    ...options,
  });
const reasons = () => box.logged.filter((line) => line.msg === "session ended").map((line) => line.reason);

describe.each(["/rtc", "/livekit"])("%s", (prefix) => {
  test("joins a room, says how it is, and leaves", async () => {
    const answer = await box.join({
      path: `${prefix}/join`,
      body: { avatar: "theo", expected_minutes: 30, max_minutes: 500, usage: { meeting_id: "m-1" } },
    });
    expect(answer.status).toBe(200);
    const joined = roomJoinAnswerSchema.strict().parse(await answer.json());
    expect(joined).toEqual({
      ok: true,
      identity: "visavis-avatar",
      room: "lobby",
      avatar: "theo",
      silence: true,
      idle_stand_in: false,
      limits: { max_minutes: 120, idle_minutes: 20, expected_minutes: 30, clamped: ["max_minutes"] },
      session_id: box.services.slot.current?.id,
    });
    const { room } = box.rooms;
    expect(room.options).toMatchObject({ url: "wss://rooms.example" });
    expect(room.size).toEqual({ width: 64, height: 64 });
    expect(box.media.stage.options).toMatchObject({ output: "raw", fps: 25, avatarDir: "/nowhere/theo" });
    expect(await status(`${prefix}/status`)).toMatchObject({
      state: "busy",
      room: "lobby",
      session_id: joined.session_id,
      avatar: "theo",
      minutes_remaining: 120,
    });
    const left = await box.ask(`${prefix}/leave`, { body: { room_name: "lobby" } });
    expect(roomLeaveAnswerSchema.strict().parse(await left.json())).toEqual({
      ok: true,
      left: true,
      room: "lobby",
      session_id: joined.session_id,
    });
    expect(room.closed && box.media.stage.closed).toBe(true);
    expect(reasons()).toEqual(["disconnected"]);
    expect(await status(`${prefix}/status`)).toMatchObject({ state: "free", room: null, session_id: null });
  });
});

test("pictures and sound go to the room, the first of them before anybody is told that it is live", async () => {
  const taken = Promise.withResolvers<void>();
  box.rooms.published = taken.promise;
  const answer = box.join();
  await expect.poll(() => box.media.stages.length).toBe(1);
  const packet = { data: Buffer.alloc(1920), timestamp: 0, keyframe: true, speech: false };
  const send = () =>
    box.media.stage.options.onPackets([
      { ...packet, kind: "audio" },
      { ...packet, kind: "video" },
    ]);
  send();
  await Promise.resolve();
  expect(box.rooms.room).toMatchObject({ sounds: 1, pictures: 1 });
  expect(box.services.slot.current).toBeNull();
  taken.resolve();
  expect((await answer).status).toBe(200);
  send();
  await Promise.resolve();
  expect(box.rooms.room).toMatchObject({ sounds: 2, pictures: 2 });
});

describe("a join is refused", () => {
  test("without what it needs, in words of its own", async () => {
    expect(await refusal(await box.join({ body: { rtc_url: "" } }))).toEqual({
      status: 400,
      code: "rtc_bad_request",
    });
    expect(await refusal(await box.join({ body: { expected_minutes: 121 } }))).toEqual({
      status: 400,
      code: "rtc_bad_request",
    });
    expect(await refusal(await box.ask("/rtc/join", { body: "[" }))).toEqual({
      status: 400,
      code: "invalid_body",
    });
    expect(box.rooms.dialled).toEqual([]);
  });

  test("while a session is live, a browser's or a room's, and while another join is on its way", async () => {
    await box.connect();
    expect(await refusal(await box.join())).toEqual({ status: 409, code: "rtc_session_in_use" });
    await box.ask("/disconnect", { method: "POST" });
    const doors = Promise.withResolvers<void>();
    box.rooms.open = doors.promise;
    const first = box.join();
    await expect.poll(() => box.services.rooms.joining).toBe(true);
    expect(await refusal(await box.join())).toEqual({ status: 409, code: "rtc_session_in_use" });
    doors.resolve();
    expect((await first).status).toBe(200);
    expect(await refusal(await box.join())).toEqual({ status: 409, code: "rtc_session_in_use" });
    expect(reasons()).toEqual(["disconnected"]);
  });

  test("with a token for somebody else, and with one that is no good", async () => {
    expect(await refusal(await box.join({ token: { sub: "somebody" } }))).toEqual({
      status: 502,
      code: "rtc_identity_mismatch",
    });
    expect(await refusal(await box.join({ body: { identity: "somebody" } }))).toEqual({
      status: 502,
      code: "rtc_identity_mismatch",
    });
    expect(await refusal(await box.join({ token: { exp: 1 } }))).toEqual({
      status: 502,
      code: "rtc_join_failed",
    });
    expect(box.rooms.dialled).toEqual([]);
    const named = await box.join({ token: { sub: "somebody" }, body: { identity: "somebody" } });
    expect(await named.json()).toMatchObject({ identity: "somebody" });
  });

  test("by the room server, without a word of the token in answer or log", async () => {
    const { rtc_token } = { rtc_token: "the-token-itself" };
    box.rooms.refusal = new Error(
      `signal failure: wss://rooms.example/rtc?access_token=${rtc_token} HTTP 401`,
    );
    const answer = await box.join();
    const text = await answer.clone().text();
    expect(await refusal(answer)).toEqual({ status: 502, code: "rtc_join_failed" });
    expect(text).toContain("refused the token");
    expect(text + JSON.stringify(box.logged)).not.toContain(rtc_token);
    expect(box.services.slot.current).toBeNull();
    box.rooms.refusal = null;
    const untaken = Promise.reject(new Error("no permission to publish"));
    untaken.catch(() => undefined);
    box.rooms.published = untaken;
    expect(await refusal(await box.join())).toEqual({ status: 502, code: "rtc_join_failed" });
    expect(box.rooms.room.closed && box.media.stage.closed).toBe(true);
    expect(reasons()).toEqual([]);
  });

  test("by a stage that cannot be made, and the room is left", async () => {
    box.media.broken = new Error("out of memory");
    expect((await box.join()).status).toBe(500);
    expect(box.rooms.room.closed).toBe(true);
    box.media.broken = null;
    const taken = Promise.withResolvers<void>();
    box.rooms.published = taken.promise;
    const answer = box.join();
    await expect.poll(() => box.media.stages.length).toBe(1);
    box.media.stage.fail("The net broke.");
    taken.resolve();
    expect((await answer).status).toBe(500);
    expect(box.rooms.room.closed && box.media.stage.closed).toBe(true);
    box.rooms.published = Promise.resolve();
    expect((await box.join()).status).toBe(200);
  });

  test("with an avatar that there is not", async () => {
    expect(await refusal(await box.join({ body: { avatar: "theirs" } }))).toEqual({
      status: 404,
      code: "unknown_avatar",
    });
    expect(await refusal(await box.join({ body: { avatar: "nobody" } }))).toEqual({
      status: 404,
      code: "unknown_avatar",
    });
  });

  test("by a box that drains, or ends before the call would", async () => {
    box.services.slot.drain(true);
    expect(await refusal(await box.join())).toEqual({ status: 503, code: "box_draining" });
    expect(await status()).toMatchObject({ state: "draining", drain: true });
    await start({ BOX_LIFE_SECONDS: "7200" });
    expect(await status()).toMatchObject({
      state: "free",
      drain: false,
      shutdown_minutes_remaining: 120,
      drain_threshold_minutes: 55,
    });
    expect((await box.join({ body: { expected_minutes: 119 } })).status).toBe(200);
    await leave();
    await start({ BOX_LIFE_SECONDS: "1800" });
    expect(await refusal(await box.join({ body: { expected_minutes: 31 } }))).toEqual({
      status: 503,
      code: "box_draining",
    });
    expect((await box.join({ body: { expected_minutes: 29 } })).status).toBe(200);
  });

  test("by a box that cannot join rooms", async () => {
    box.rooms.problem = "LiveKit's client does not load: it is missing.";
    expect(await refusal(await box.join())).toEqual({ status: 503, code: "rtc_unavailable" });
    const ready = await (await box.ask("/rtc/readiness")).json();
    expect(roomReadinessSchema.strict().parse(ready)).toEqual({
      ok: true,
      installed: false,
      problem: "LiveKit's client does not load: it is missing.",
      versions: { "@livekit/rtc-node": "1.1.0" },
      identity: "visavis-avatar",
      topic: "lk.audio_stream",
    });
    await start({ ROOMS: "off", ROOM_IDENTITY: "face" });
    expect(await refusal(await box.join())).toEqual({ status: 503, code: "rtc_unavailable" });
    expect(await (await box.ask("/livekit/readiness")).json()).toMatchObject({
      installed: false,
      identity: "face",
      versions: {},
    });
  });
});

describe("leaving", () => {
  test("another room touches nothing; twice is once", async () => {
    await box.join();
    expect(await refusal(await leave("attic"))).toEqual({ status: 409, code: "rtc_not_in_room" });
    expect(box.services.slot.current?.room?.name).toBe("lobby");
    expect(await (await leave("lobby")).json()).toMatchObject({ left: true, room: "lobby" });
    expect(await (await leave("lobby")).json()).toEqual({
      ok: true,
      left: false,
      room: null,
      session_id: null,
    });
    expect(await (await leave()).json()).toMatchObject({ left: false });
    expect(await refusal(await box.ask("/rtc/leave", { body: { room_name: 7 } }))).toEqual({
      status: 400,
      code: "rtc_bad_request",
    });
  });

  test("ends no session with a browser", async () => {
    const { session_id } = await box.connect();
    expect(await (await leave()).json()).toMatchObject({ left: false, session_id: null });
    expect(box.services.slot.current?.id).toBe(session_id);
  });

  test.each(["before the room is entered", "before its tracks are there"])(
    "calls off a join, %s",
    async (when) => {
      const never = new Promise<void>(() => undefined);
      if (when.includes("entered")) box.rooms.open = never;
      else box.rooms.published = never;
      const answer = box.join();
      await expect.poll(() => box.services.rooms.joining).toBe(true);
      if (!when.includes("entered")) await expect.poll(() => box.media.stages.length).toBe(1);
      expect(await refusal(await leave("attic"))).toEqual({ status: 409, code: "rtc_not_in_room" });
      expect((await status()).state).toBe("busy");
      expect(await (await leave("lobby")).json()).toEqual({
        ok: true,
        left: true,
        room: "lobby",
        session_id: null,
      });
      expect(await refusal(await answer)).toEqual({ status: 409, code: "rtc_join_aborted" });
      expect(box.services.slot.current).toBeNull();
      for (const { closed } of [...box.rooms.dialled, ...box.media.stages]) expect(closed).toBe(true);
      box.rooms.open = Promise.resolve();
      box.rooms.published = Promise.resolve();
      expect((await box.join()).status).toBe(200);
    },
  );

  test("a caller who does not wait for the answer is in no room", async () => {
    box.rooms.open = new Promise(() => undefined);
    const gone = new AbortController();
    const asked = fetch(`${box.url}/rtc/join`, {
      method: "POST",
      headers: { "X-Api-Key": "key-of-the-first-caller" },
      body: JSON.stringify((await import("../testing/fake-rooms.ts")).joinBody()),
      signal: gone.signal,
    }).catch(() => undefined);
    await expect.poll(() => box.services.rooms.joining).toBe(true);
    gone.abort();
    await asked;
    await expect.poll(() => box.services.rooms.joining).toBe(false);
    expect(box.services.slot.current).toBeNull();
  });

  test("a box that ends calls off a join, and leaves its room", async () => {
    box.rooms.open = new Promise(() => undefined);
    const answer = box.join();
    await expect.poll(() => box.services.rooms.joining).toBe(true);
    const ending = box.end();
    expect(await refusal(await answer)).toEqual({ status: 503, code: "box_draining" });
    await ending;
    await start();
    await box.join();
    const { room } = box.rooms;
    await box.end();
    expect(room.closed).toBe(true);
    expect(reasons()).toEqual(["box_shutdown"]);
  });
});

describe("a room ends the session", () => {
  test.each([
    ["dismissed", "disconnected"],
    ["lost", "lost"],
  ] as const)("when the box is %s", async (how, reason) => {
    await box.join();
    box.rooms.room.listener.over(how);
    await expect.poll(() => reasons()).toEqual([reason]);
    await expect.poll(() => box.rooms.room.closed && box.media.stage.closed).toBe(true);
    expect((await status()).state).toBe("free");
    expect((await box.join()).status).toBe(200);
  });

  test("but not when the network comes back", async () => {
    await box.join();
    const { listener } = box.rooms.room;
    listener.reconnecting();
    listener.reconnected();
    await box.ask("/rtc/status");
    expect(reasons()).toEqual([]);
  });

  test.each([
    ["idle_minutes", "idle"],
    ["max_minutes", "max_length"],
  ])("when its %s are over", async (field, reason) => {
    await box.join({ body: { [field]: 0.01 } });
    await expect.poll(() => reasons(), { timeout: 5_000 }).toEqual([reason]);
    expect(box.rooms.room.closed).toBe(true);
  });
});

test("status is for everybody; where the box is only for who brought it there", async () => {
  await box.join();
  expect(await status("/rtc/status", { key: otherKey })).toMatchObject({
    state: "busy",
    room: null,
    session_id: null,
    avatar: null,
    avatar_warmed: null,
    box_id: "test",
    limits: { max_minutes_ceiling: 120, idle_minutes_ceiling: 20 },
    idle_shutdown: false,
    shutdown_minutes_remaining: null,
  });
  expect(await status("/rtc/status?avatar=theo")).toMatchObject({ avatar: "theo", avatar_warmed: true });
  expect(await status("/rtc/status?avatar=nobody")).toMatchObject({ avatar: "nobody", avatar_warmed: false });
});
