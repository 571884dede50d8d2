import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeCode } from "../../contract/control-socket.ts";
import { connectAnswerSchema, iceServersSchema } from "../../contract/live.ts";
import { otherKey, startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox({ ICE_SERVERS: '[{"urls":["turn:t.example"],"username":"u","credential":"p"}]' });
});
afterEach(() => box.close());

const offer = { sdp: "v=0\r\n", type: "offer" };
const sdp = { "Content-Type": "application/sdp" };
const reasons = () => box.logged.filter((line) => line.msg === "session ended").map((line) => line.reason);

test("connect answers what the contract says", async () => {
  const response = await box.ask("/connect", {
    body: { ...offer, avatar: "theo", max_session_length_seconds: 90 },
  });
  expect(connectAnswerSchema.strict().parse(await response.json())).toMatchObject({
    type: "answer",
    avatar: "theo",
    tones: ["neutral"],
    ice_servers: [{ urls: ["turn:t.example"], username: "u", credential: "p" }],
    limits: { max_session_length_seconds: 90, idle_seconds: 300 },
  });
  expect(iceServersSchema.parse(await (await box.ask("/connect")).json()).ice_servers).toHaveLength(1);
  expect(box.media.stage.options).toMatchObject({ avatarDir: "/nowhere/theo", fps: 25 });
});

test("as WHEP: created at its own address, patched with candidates, deleted there", async () => {
  const created = await box.ask("/connect?avatar=theo", { method: "POST", headers: sdp, body: "v=0\r\n" });
  expect(created.status).toBe(201);
  expect(created.headers.get("content-type")).toBe("application/sdp");
  expect(created.headers.get("link")).toContain('rel="ice-server"; username="u"');
  expect(await created.text()).toMatch(/^v=0/);
  const location = created.headers.get("location") ?? "";
  expect(location).toBe(`/connect/${box.services.slot.current?.id}`);
  const fragment = { "Content-Type": "application/trickle-ice-sdpfrag" };
  const patch = (body: string, headers = fragment, key?: string) =>
    box.ask(location, { method: "PATCH", headers, body, ...(key ? { key } : {}) });
  expect((await patch("a=candidate")).status).toBe(204);
  expect(box.media.peer.candidates).toEqual(["a=candidate"]);
  expect((await patch("nonsense")).status).toBe(400);
  expect((await patch("a=ice-ufrag:another")).status).toBe(422);
  expect((await patch("a=", sdp)).status).toBe(400);
  expect((await patch("a=", fragment, otherKey)).status).toBe(404);
  expect((await box.ask(location, { method: "DELETE", key: otherKey })).status).toBe(404);
  expect((await box.ask(location, { method: "DELETE" })).status).toBe(200);
  expect((await box.ask(location, { method: "DELETE" })).status).toBe(404);
  expect(reasons()).toEqual(["disconnected"]);
});

test.each([
  ["a broken offer", { sdp: "nonsense", type: "offer" }, 400],
  ["another type", { sdp: "v=0", type: "answer" }, 400],
  ["no offer", {}, 400],
  ["an unknown field", { ...offer, colour: "red" }, 400],
  ["an unknown voice", { ...offer, voice: "nobody" }, 400],
  ["an offer over the limit", { sdp: "v=0".padEnd(70_000), type: "offer" }, 400],
  ["somebody else's avatar", { ...offer, avatar: "theirs" }, 404],
  [
    "a recording, which a box alone cannot keep",
    { ...offer, recording: { terms_version: "1", terms_digest: "2" } },
    503,
  ],
])(
  "connect with %s is refused in one flat sentence, and the live session goes on",
  async (_, body, status) => {
    const { session_id } = await box.connect();
    const response = await box.ask("/connect", { body });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String) });
    expect(box.services.slot.current?.id).toBe(session_id);
  },
);

test("a face goes live with a picked voice whose engine is down, but not with a voice that cannot be had", async () => {
  const unknown = await box.ask("/connect", { body: { ...offer, voice: "nobody" } });
  expect(unknown.status).toBe(400);
  box.voice.available = false;
  const response = await box.ask("/connect", { body: { ...offer, voice: "en-us+f3" } });
  expect(response.status).toBe(200);
});

test("media flows from the stage to the peer, requests from the peer to the stage", async () => {
  await box.connect();
  const { stage, peer } = box.media;
  const packet = { data: Buffer.alloc(1), timestamp: 0, keyframe: false, speech: false };
  stage.options.onPackets([
    { ...packet, kind: "audio" },
    { ...packet, kind: "video" },
    { ...packet, kind: "audio" },
  ]);
  expect([peer.audio, peer.video]).toEqual([2, 1]);
  peer.options.onKeyframeRequest?.();
  peer.options.onBitrateEstimate?.(400_000);
  expect([stage.keyframes, stage.bitrateBps]).toEqual([1, 400_000]);
  peer.options.onBitrateEstimate?.(9_000_000);
  expect(stage.bitrateBps).toBe(1_500_000);
});

test("disconnect ends the caller's own session; a static key is the box's operator", async () => {
  await box.connect();
  expect(await (await box.ask("/disconnect", { method: "POST" })).json()).toEqual({ ok: true });
  expect(box.media.stage.closed && box.media.peer.closed).toBe(true);
  await box.connect();
  await box.ask("/disconnect", { method: "POST", key: otherKey });
  expect(box.services.slot.current).toBeNull();
  expect((await box.ask("/disconnect", { method: "POST" })).status).toBe(200);
});

test.each([
  ["failed", "lost"],
  ["closed", "disconnected"],
] as const)("a peer that is %s ends the session as %s and frees everything", async (state, reason) => {
  await box.connect();
  box.media.peer.become(state);
  expect(box.services.slot.current).toBeNull();
  expect(box.media.stage.closed && box.media.peer.closed).toBe(true);
  expect(reasons()).toEqual([reason]);
});

test("a stage that fails ends the session", async () => {
  await box.connect();
  box.media.stage.fail("the encoder broke");
  await expect.poll(reasons).toEqual(["lost"]);
});

test("a stage whose GPU is lost goes on, and the log says why", async () => {
  await box.connect();
  expect(box.logged).toContainEqual(
    expect.objectContaining({ msg: "stage opened", netDevice: "fake", gpuOff: "no NVIDIA driver" }),
  );
  box.media.stage.leaveGpu("net: the GPU was lost");
  await expect
    .poll(() => box.logged)
    .toContainEqual(expect.objectContaining({ level: 40, why: "net: the GPU was lost" }));
  expect(reasons()).toEqual([]);
  expect(box.services.slot.current).not.toBeNull();
});

test("a hundred sessions leave nothing behind", async () => {
  const socket = await box.socket();
  for (let round = 0; round < 100; round++) await box.connect(round % 2 ? { key: otherKey } : {});
  await socket.closed;
  await box.ask("/disconnect", { method: "POST" });
  expect(box.media.stages).toHaveLength(100);
  expect(box.media.stages.every((stage) => stage.closed)).toBe(true);
  expect(box.media.peers.every((peer) => peer.closed)).toBe(true);
  expect(reasons()).toHaveLength(100);
});

test("an idle session runs out: the event, then the close with its code", async () => {
  await box.close();
  box = await startTestBox({ SESSION_IDLE_SECONDS: "1" });
  await box.connect();
  const socket = await box.socket();
  const beat = setInterval(() => socket.send({ type: "heartbeat" }), 100);
  const { code } = await socket.closed;
  clearInterval(beat);
  expect(code).toBe(closeCode.idle);
  expect(socket.events.at(-1)).toEqual({
    type: "session_expired",
    reason: "idle",
    message: expect.any(String),
    seconds: 1,
    code: closeCode.idle,
  });
  expect(reasons()).toEqual(["idle"]);
});

test("a session ends at its length, whatever happens in it", async () => {
  await box.connect({ body: { max_session_length_seconds: 1 } });
  const socket = await box.socket();
  expect(await socket.next("session_expired")).toMatchObject({ reason: "max_length", seconds: 1 });
  expect((await socket.closed).code).toBe(closeCode.maxLength);
  expect(reasons()).toEqual(["max_length"]);
});

test("a box that drains takes no new session, and its state says so", async () => {
  box.services.slot.drain(true);
  const response = await box.ask("/connect", { body: offer });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("15");
  // Nobody else is troubled for it.
  const settings = vi.spyOn(box.services.portal, "settings");
  const asked = await box.ask("/connect", { body: { ...offer, avatar: "nobody" } });
  expect([asked.status, settings.mock.calls]).toEqual([503, []]);
  expect(await (await box.ask("/health")).json()).toMatchObject({ state: "draining" });
});

test("the end of the box ends the session", async () => {
  await box.connect();
  await box.end();
  expect(reasons()).toEqual(["box_shutdown"]);
  expect(box.media.stage.closed && box.media.peer.closed).toBe(true);
});
