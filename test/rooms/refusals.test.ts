// Every way a join is refused, and whose room it is once it is live.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dispose } from "@livekit/rtc-node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { RoomJoinAnswer } from "../../contract/rooms.ts";
import { Meeting, Venue } from "./meeting.ts";
import { devSecret } from "./server/tokens.ts";
import type { TokenOptions } from "./server/tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "visavis-rooms-"));
const operator = "a key of the box's own environment";
const [anns, bens] = ["a key of Ann's", "a key of Ben's"];
let venue: Venue;

beforeAll(async () => {
  const path = join(folder, "keys.json");
  const row = (key: string, account: string) => ({
    sha256: createHash("sha256").update(key).digest("hex"),
    account,
  });
  const keys = [row(anns, "ann@example.org"), row(bens, "ben@example.org")];
  writeFileSync(path, JSON.stringify({ keys }));
  venue = await Venue.open({
    SERVICE_API_KEYS: operator,
    SERVICE_API_KEYS_TABLE: path,
    ROOM_MAX_MINUTES: "30",
    ROOM_IDLE_MINUTES: "10",
  });
});

afterEach(() => venue.clear(operator));

afterAll(async () => {
  await venue?.close();
  rmSync(folder, { recursive: true, force: true });
  await dispose();
});

const codeOf = ({ body }: { body: { code?: string; error?: { code?: string } } }) =>
  body.code ?? body.error?.code;

async function meet(): Promise<Meeting> {
  const room = venue.service.roomName();
  return new Meeting(venue, room, await venue.agent(room));
}

const ask = (body: object, key = anns) => venue.ask<RoomJoinAnswer>("POST", "/rtc/join", body, key);

it("a body that lacks something, or a limit that is none", async () => {
  const meeting = await meet();
  const whole = await meeting.joinBody();
  for (const bad of [
    { ...whole, rtc_url: undefined },
    { ...whole, rtc_url: "not a URL" },
    { ...whole, rtc_url: "ftp://somewhere" },
    { ...whole, rtc_token: "" },
    { ...whole, room_name: undefined },
    { ...whole, max_minutes: "10" },
    { ...whole, max_minutes: 0 },
    { ...whole, idle_minutes: -1 },
    { ...whole, expected_minutes: 31 },
    { ...whole, expected_minutes: 20, max_minutes: 10 },
    { ...whole, expected_minutes: true },
  ]) {
    const answer = await ask(bad);
    expect(codeOf(answer), JSON.stringify(bad)).toBe("rtc_bad_request");
    expect(answer.status).toBe(400);
  }
});

it("limits above the box's own are lowered, and said to be", async () => {
  const meeting = await meet();
  const answer = await meeting.join({ max_minutes: 500, idle_minutes: 5, expected_minutes: 20 }, anns);
  expect(answer.limits).toEqual({
    max_minutes: 30,
    idle_minutes: 5,
    expected_minutes: 20,
    clamped: ["max_minutes"],
  });
});

it("both names of each route and each field", async () => {
  const meeting = await meet();
  const { rtc_url, rtc_token } = (await meeting.joinBody()) as Record<string, string>;
  const body = { livekit_url: rtc_url, livekit_token: rtc_token, room_name: meeting.room };
  expect((await venue.ask("POST", "/livekit/join", body, anns)).status).toBe(200);
  await meeting.seen();
  const status = await venue.ask("GET", "/livekit/status", undefined, anns);
  expect(status.body).toMatchObject({ state: "busy", room: meeting.room });
  const left = await venue.ask("POST", "/livekit/leave", { room_name: meeting.room }, anns);
  expect(left.body).toMatchObject({ ok: true, left: true });
});

it("a token that is for somebody else, for another room, expired, without a right, or forged", async () => {
  const meeting = await meet();
  const join = async (options: Partial<TokenOptions>, extra: object = {}) => {
    const token = await venue.avatarToken(meeting.room, options);
    return ask({ ...(await meeting.joinBody()), rtc_token: token, ...extra });
  };
  const refused = async (code: string, options: Partial<TokenOptions>, extra: object = {}) => {
    const answer = await join(options, extra);
    expect(codeOf(answer), JSON.stringify({ options, extra })).toBe(code);
    expect(answer.status).toBe(502);
  };
  await refused("rtc_identity_mismatch", { identity: "somebody" });
  await refused("rtc_identity_mismatch", {}, { identity: "somebody" });
  await refused("rtc_join_failed", { room: "another" });
  await refused("rtc_join_failed", { ttl: -3600 });
  await refused("rtc_join_failed", { kind: "standard" });
  await refused("rtc_join_failed", { attributes: {} });
  await refused("rtc_join_failed", { grants: { roomJoin: false } });
  await refused("rtc_join_failed", { grants: { canPublish: false } });
  await refused("rtc_join_failed", { secret: `not ${devSecret}, as only the room server can tell` });
  await refused("rtc_join_failed", {}, { rtc_token: "no token at all" });
  // Nobody listens there.
  await refused("rtc_join_failed", {}, { rtc_url: "ws://127.0.0.1:9" });
  // Nothing of it was left behind.
  expect((await venue.status(anns)).body).toMatchObject({ state: "free", room: null });
  expect((await join({ identity: "somebody" }, { identity: "somebody" })).status).toBe(200);
});

it("a room while another is live", async () => {
  const meeting = await meet();
  await meeting.join({}, anns);
  const other = await meet();
  for (const key of [anns, bens, operator]) {
    const answer = await ask(await other.joinBody(), key);
    expect(codeOf(answer)).toBe("rtc_session_in_use");
    expect(answer.status).toBe(409);
  }
  const wrong = await venue.ask("POST", "/rtc/leave", { room_name: other.room }, anns);
  expect([wrong.status, codeOf(wrong)]).toEqual([409, "rtc_not_in_room"]);
  await meeting.seen();
});

it("a join that was called off while it dialled", async () => {
  // Accepts and says nothing, for ever.
  const sockets = new Set<Socket>();
  const mute = createServer((socket) => sockets.add(socket.on("error", () => sockets.delete(socket))));
  await new Promise<void>((resolve) => {
    mute.listen(0, "127.0.0.1", resolve);
  });
  try {
    const meeting = await meet();
    const rtc_url = `ws://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const joining = ask({ ...(await meeting.joinBody()), rtc_url });
    await expect.poll(() => sockets.size).toBeGreaterThan(0);
    await expect.poll(async () => (await venue.status(anns)).body.state).toBe("busy");
    const stranger = await venue.ask("POST", "/rtc/leave", { room_name: meeting.room }, bens);
    expect(codeOf(stranger)).toBe("rtc_not_owner");
    expect((await meeting.leave(anns)).body).toMatchObject({ ok: true, left: true });
    const answer = await joining;
    expect([answer.status, codeOf(answer)]).toEqual([409, "rtc_join_aborted"]);
    expect((await meeting.leave(anns)).body).toMatchObject({ ok: true, left: false });
  } finally {
    for (const socket of sockets) socket.destroy();
    mute.close();
  }
});

it("a box that may not join rooms, and one that ends too soon", async () => {
  const off = await Venue.open({ ROOMS: "off" });
  try {
    const readiness = await off.ask<{ installed: boolean; problem: string | null }>("GET", "/rtc/readiness");
    expect(readiness.status).toBe(200);
    expect(readiness.body.installed).toBe(false);
    expect(readiness.body.problem).toBeTruthy();
    const body = { rtc_url: off.service.url, rtc_token: await off.avatarToken("a"), room_name: "a" };
    const answer = await off.ask("POST", "/rtc/join", body);
    expect([answer.status, codeOf(answer)]).toEqual([503, "rtc_unavailable"]);
  } finally {
    await off.close();
  }
});

it("whose room it is: nobody else ends, drives or replaces it, and it goes on", async () => {
  const meeting = await meet();
  const { session_id } = await meeting.join({}, anns);
  await meeting.seen();
  const mine = (await venue.status(anns)).body;
  expect(mine).toMatchObject({ state: "busy", room: meeting.room, session_id });
  expect((await venue.status(bens)).body).toMatchObject({ state: "busy", room: null, session_id: null });

  for (const [path, body] of [
    ["/rtc/leave", { room_name: meeting.room }],
    ["/disconnect", undefined],
    ["/connect", { sdp: "v=0", type: "offer" }],
    ["/api/avatar/delete", { avatar: "any" }],
    ["/api/chat", { message: "Say something else." }],
  ] as const) {
    const answer = await venue.ask("POST", path, body, bens);
    expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, "rtc_not_owner"]);
  }
  const socket = new WebSocket(
    `${venue.box.url.replace("http", "ws")}/api/voice/ws?session_token=${encodeURIComponent(bens)}`,
  );
  const said: string[] = [];
  socket.on("message", (data) => said.push(data.toString()));
  const code = await new Promise<number>((resolve, reject) => {
    socket.once("close", resolve);
    socket.once("error", reject);
  });
  expect(code).toBe(4003);
  expect(said.join()).toContain("rtc_not_owner");

  const before = meeting.agent.finished.length;
  expect(await meeting.settle()).toBe(before);
  // The operator of the box may.
  const left = await venue.ask("POST", "/rtc/leave", { room_name: meeting.room }, operator);
  expect(left.body).toMatchObject({ ok: true, left: true });
});

it("its owner may chat into it, and take the box over", async () => {
  const meeting = await meet();
  await meeting.join({}, anns);
  await meeting.seen();
  const from = meeting.heard().length;
  const answer = await venue.ask("POST", "/api/chat", { message: "Hello there." }, anns);
  expect(answer.status).toBe(200);
  await meeting.speaking(from);
  const ended = await venue.ask("POST", "/disconnect", undefined, anns);
  expect(ended.body).toMatchObject({ ok: true });
  await expect.poll(() => meeting.agent.visitor.count("left", venue.avatar)).toBe(1);
});
