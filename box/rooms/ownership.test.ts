// Who may end and drive a room, on every route that does.

import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { microphoneCloseCode } from "../../contract/microphone-socket.ts";
import { Refusal } from "../failure.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

const owner = "key-of-the-owner";
const colleague = "another-key-of-the-owner";
const stranger = "key-of-somebody-else";
const operator = "key-of-the-operator";
const entry = (key: string, account: string) => ({
  sha256: createHash("sha256").update(key).digest("hex"),
  account,
  operator: key === operator,
});

let box: TestBox;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "visavis-owners-"));
  const path = join(dir, "keys.json");
  const keys = [
    entry(owner, "ann@example.org"),
    entry(colleague, "ann@example.org"),
    entry(stranger, "bob@example.org"),
    entry(operator, "ops@example.org"),
  ];
  await writeFile(path, JSON.stringify({ keys }));
  box = await startTestBox({ SERVICE_API_KEYS: "", SERVICE_API_KEYS_TABLE: path });
});
afterEach(async () => {
  await box.close();
  await rm(dir, { recursive: true, force: true });
});

const offer = { sdp: "v=0\r\n", type: "offer" };
/** What each does to a room whose owner asks: the session of the room goes on or not. */
const routes: [string, object, ends: boolean][] = [
  ["/rtc/leave", { room_name: "lobby" }, true],
  ["/livekit/leave", {}, true],
  ["/disconnect", {}, true],
  ["/connect", offer, true],
  ["/api/avatar/delete", { avatar: "theo" }, false],
  ["/api/chat", { message: "Hello?" }, false],
];
const inRoom = () => box.services.slot.current?.room?.name === "lobby";

test.each(routes)(
  "%s is not for anybody else: the room stays up, and nothing is said",
  async (path, body) => {
    expect((await box.join({ key: owner })).status).toBe(200);
    const answer = await box.ask(path, { key: stranger, body });
    expect(answer.status).toBe(403);
    const said = (await answer.json()) as { error: unknown; code?: string };
    if (path.endsWith("/leave")) expect(said.error).toMatchObject({ code: "rtc_not_owner" });
    else expect(said).toEqual({ error: expect.any(String), code: "rtc_not_owner" });
    expect(inRoom()).toBe(true);
    expect(box.model.requests).toEqual([]);
    expect(box.media.stage.interrupts).toBe(0);
  },
);

test.each(routes)("%s is for every key of its account", async (path, body, ends) => {
  await box.join({ key: owner });
  const answer = await box.ask(path, { key: colleague, body });
  expect(answer.status).not.toBe(403);
  expect(inRoom()).toBe(!ends);
});

test.each(routes)("%s is for the box's operator", async (path, body, ends) => {
  await box.join({ key: owner });
  const answer = await box.ask(path, { key: operator, body });
  expect(answer.status).not.toBe(403);
  expect(inRoom()).toBe(!ends);
});

test.each(["/rtc/leave", "/disconnect", "/connect", "/api/avatar/delete", "/api/chat", "/offer"])(
  "%s by somebody who cannot be looked up is tried again, and ends nothing",
  async (path) => {
    await box.join({ key: owner });
    const { access } = box.services;
    const identify = access.identify.bind(access);
    access.identify = () => Promise.reject(new Refusal("credential_unverified", "The portal is away."));
    const answer = await box.ask(path, { key: owner, body: { ...offer, message: "Hello?" } });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.text()).toContain("rtc_owner_unverified");
    // Another route has nothing to do with the room.
    const other = await box.ask("/api/avatars", { key: owner });
    expect(await other.text()).not.toContain("rtc_");
    access.identify = identify;
    expect(inRoom()).toBe(true);
    expect(box.model.requests).toEqual([]);
    await box.ask("/disconnect", { key: owner, method: "POST" });
    access.identify = () => Promise.reject(new Refusal("credential_unverified", "The portal is away."));
    const without = await box.ask(path, { key: owner, body: offer });
    expect(await without.text()).not.toContain("rtc_");
  },
);

describe("while a room is being joined", () => {
  test("only its owner may call it off, and whoever wants the box waits and is refused", async () => {
    const doors = Promise.withResolvers<void>();
    box.rooms.open = doors.promise;
    const answer = box.join({ key: owner });
    await expect.poll(() => box.services.rooms.joining).toBe(true);
    const left = await box.ask("/rtc/leave", { key: stranger, body: { room_name: "lobby" } });
    expect(left.status).toBe(403);
    const taking = box.ask("/connect", { key: stranger, body: offer });
    doors.resolve();
    expect((await answer).status).toBe(200);
    expect((await taking).status).toBe(403);
    expect(inRoom()).toBe(true);
  });
});

describe("the microphone", () => {
  test("is not for anybody else's", async () => {
    await box.join({ key: owner });
    const microphone = await box.microphone({ key: stranger });
    expect(await microphone.next("error")).toMatchObject({
      fatal: true,
      code: microphoneCloseCode.slotTaken,
      error_code: "rtc_not_owner",
    });
    expect((await microphone.closed).code).toBe(4003);
    expect(inRoom()).toBe(true);
  });

  test("of its owner and of the operator is heard", async () => {
    await box.join({ key: owner });
    const mine = await box.microphone({ key: owner });
    await mine.next("ready");
    mine.drop();
    await mine.closed;
    const theirs = await box.microphone({ key: operator });
    await theirs.next("ready");
    box.ears.listener.turn("Say something.");
    await theirs.next("reply");
    expect(inRoom()).toBe(true);
  });

  test("of somebody who cannot be looked up is told so on its socket, while a room is live and only then", async () => {
    const { access } = box.services;
    const away = () => Promise.reject(new Refusal("credential_unverified", "The portal is away."));
    const identify = access.identify.bind(access);
    access.identify = away;
    await expect(box.microphone({ key: owner })).rejects.toThrow();
    access.identify = identify;
    await box.join({ key: owner });
    access.identify = away;
    const microphone = await box.microphone({ key: owner });
    expect(await microphone.next("error")).toMatchObject({
      fatal: true,
      code: microphoneCloseCode.setUpFailed,
      error_code: "rtc_owner_unverified",
    });
    expect((await microphone.closed).code).toBe(4006);
    expect(inRoom()).toBe(true);
  });
});

test("what the owner asks is answered into the room, and in the owner's own conversation by the operator", async () => {
  await box.join({ key: owner });
  const first = await box.ask("/api/chat", { key: owner, body: { message: "Who are you?" } });
  expect(await first.json()).toMatchObject({ streamed: true, avatar: expect.any(String) });
  const second = await box.ask("/api/chat", { key: operator, body: { message: "And now?" } });
  expect(await second.json()).toMatchObject({ streamed: true });
  expect(box.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(box.media.stage.pushedMs).toBeGreaterThan(0);
});

test("a session with a browser is ended by whoever goes live next, as ever", async () => {
  await box.connect({ key: owner });
  expect((await box.ask("/connect", { key: stranger, body: offer })).status).toBe(200);
  expect((await box.ask("/disconnect", { key: owner, method: "POST" })).status).toBe(200);
  expect(box.services.slot.current?.account).toBe("bob@example.org");
});
