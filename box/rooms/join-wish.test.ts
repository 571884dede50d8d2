import { describe, expect, test } from "vitest";
import { Refusal } from "../failure.ts";
import { readJoinWish } from "./join-wish.ts";

const ceilings = { maxMinutes: 120, idleMinutes: 20 };
const body = { rtc_url: "wss://rooms.example", rtc_token: "t", room_name: "lobby" };
const read = (more: object) => readJoinWish({ ...body, ...more }, ceilings);

describe("a join", () => {
  test("with nothing but what it needs", () => {
    expect(read({})).toEqual({
      url: "wss://rooms.example",
      token: "t",
      roomName: "lobby",
      identity: null,
      engineIdentity: null,
      avatar: undefined,
      limits: { max_minutes: 120, idle_minutes: 20, expected_minutes: null, clamped: [] },
      labels: {},
    });
  });

  test("in the vendor's words, and with a field that nobody knows", () => {
    const wish = readJoinWish(
      { livekit_url: "ws://127.0.0.1:7880", livekit_token: "u", room_name: " lobby ", colour: "red" },
      ceilings,
    );
    expect(wish).toMatchObject({ url: "ws://127.0.0.1:7880", token: "u", roomName: "lobby" });
  });

  test("blank and null are left out", () => {
    expect(
      read({ identity: " ", engine_identity: "", avatar: null, max_minutes: null, usage: null }),
    ).toEqual(read({}));
  });

  test("ids of the usage record become texts", () => {
    expect(read({ usage: { meeting_id: 7, team: "red", trial: true, nothing: null } }).labels).toEqual({
      meeting_id: "7",
      team: "red",
      trial: "true",
      nothing: "",
    });
  });

  test("lengths over the box's are lowered, and said so", () => {
    expect(read({ max_minutes: 500, idle_minutes: 21, expected_minutes: 120 }).limits).toEqual({
      max_minutes: 120,
      idle_minutes: 20,
      expected_minutes: 120,
      clamped: ["max_minutes", "idle_minutes"],
    });
    expect(read({ max_minutes: 0.5, idle_minutes: 0.1, expected_minutes: 0.5 }).limits).toEqual({
      max_minutes: 0.5,
      idle_minutes: 0.1,
      expected_minutes: 0.5,
      clamped: [],
    });
  });
});

describe("a join is refused", () => {
  test.each([
    ["without a URL", { rtc_url: undefined }, "rtc_url"],
    ["with something else for one", { rtc_url: "lobby" }, "rtc_url"],
    ["with a URL of files", { rtc_url: "file:///etc/passwd" }, "rtc_url"],
    ["without a token", { rtc_token: "  " }, "rtc_token"],
    ["with a number for a token", { rtc_token: 7 }, "rtc_token"],
    ["without a room", { room_name: undefined }, "room_name"],
    ["with a blank room", { room_name: " " }, "room_name"],
    ["with a length that is no number", { expected_minutes: "30" }, "expected_minutes"],
    ["with no length at all", { expected_minutes: 0 }, "expected_minutes"],
    ["with less than none", { max_minutes: -1 }, "max_minutes"],
    ["with a list for a length", { idle_minutes: [] }, "idle_minutes"],
    ["when it is expected to last longer than the box allows", { expected_minutes: 121 }, "expected_minutes"],
    ["or than it may", { expected_minutes: 31, max_minutes: 30 }, "expected_minutes"],
    ["with nested ids", { usage: { meeting: {} } }, "usage.meeting"],
    [
      "with too many ids",
      { usage: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`id${i}`, 1])) },
      "usage",
    ],
  ])("%s", (_, more, field) => {
    let refusal: unknown;
    try {
      read(more);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code: "rtc_bad_request", message: expect.stringContaining(field) });
  });
});
