import { describe, expect, test } from "vitest";
import { Refusal } from "../failure.ts";
import { roomToken } from "../testing/fake-rooms.ts";
import { readRoomToken } from "./token.ts";

const nowSeconds = Math.floor(Date.now() / 1000);
const expected = { roomName: "lobby", identity: "visavis-avatar", nowSeconds };
const video = { roomJoin: true, room: "lobby" };

function refusalOf(token: string): Refusal {
  try {
    readRoomToken(token, expected);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("The token was taken.");
}

test("a token says who joins, and for whom", () => {
  expect(readRoomToken(roomToken(), expected)).toEqual({
    identity: "visavis-avatar",
    publishesFor: "agent-1",
  });
});

test("one that publishes for nobody by name leaves open whom", () => {
  const token = roomToken({ attributes: { "lk.publish_on_behalf": "" } });
  expect(readRoomToken(token, expected).publishesFor).toBeNull();
});

test("clocks may differ by a minute, as for the server", () => {
  expect(readRoomToken(roomToken({ exp: nowSeconds - 30, nbf: nowSeconds + 30 }), expected).identity).toBe(
    "visavis-avatar",
  );
});

test("sources that are allowed by name may have any case", () => {
  const token = roomToken({ video: { ...video, canPublishSources: ["CAMERA", "microphone"] } });
  expect(readRoomToken(token, expected).identity).toBe("visavis-avatar");
});

describe("a token is refused, with what is wrong with it,", () => {
  test("for another identity, whatever else is wrong", () => {
    const refusal = refusalOf(roomToken({ sub: "somebody", kind: "standard" }));
    expect(refusal.code).toBe("rtc_identity_mismatch");
    expect(refusal.message).toContain('"somebody"');
    expect(refusal.message).toContain('"visavis-avatar"');
  });

  test.each([
    ["no token", "nonsense", "not a JSON Web Token"],
    ["no subject", roomToken({ sub: undefined }), "sub"],
    ["expired", roomToken({ exp: nowSeconds - 3600 }), "has expired"],
    ["without end", roomToken({ exp: undefined }), "never expires"],
    ["not valid yet", roomToken({ nbf: nowSeconds + 3600 }), "not valid yet"],
    ["without grants", roomToken({ video: undefined }), "roomJoin"],
    ["that may not join", roomToken({ video: { ...video, roomJoin: false } }), "roomJoin"],
    ["without a room", roomToken({ video: { roomJoin: true } }), "no room"],
    ["of another room", roomToken({ video: { ...video, room: "attic" } }), '"attic"'],
    ["that may not publish", roomToken({ video: { ...video, canPublish: false } }), "canPublish"],
    ["that may not send data", roomToken({ video: { ...video, canPublishData: false } }), "canPublishData"],
    ["with no camera", roomToken({ video: { ...video, canPublishSources: ["microphone"] } }), "camera"],
    ["of another kind", roomToken({ kind: "standard" }), '"standard"'],
    ["of no kind", roomToken({ kind: undefined }), '"standard"'],
    ["on nobody's behalf", roomToken({ attributes: {} }), "lk.publish_on_behalf"],
    ["on its own", roomToken({ attributes: { "lk.publish_on_behalf": "visavis-avatar" } }), "itself"],
    ["of odd attributes", roomToken({ attributes: { a: 1 } }), "attributes"],
  ])("%s", (_, token, words) => {
    const refusal = refusalOf(token);
    expect(refusal.code).toBe("rtc_join_failed");
    expect(refusal.message).toContain(words);
    expect(refusal.message).not.toContain(token);
  });
});
