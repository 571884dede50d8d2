import { afterEach, beforeEach, expect, test } from "vitest";
import { closeCode, serverEventSchema } from "../../contract/control-socket.ts";
import { limits } from "../../contract/limits.ts";
import { HeldReply } from "../testing/fake-model.ts";
import { otherKey, startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

test("a message turn: every event, its fields and their order", async () => {
  box.media.held = true;
  const { session_id } = await box.connect();
  const socket = await box.socket();
  box.model.reply = () => ["[warm] Hello there. ", "[happy] How are you?"];
  socket.send({ type: "message", content: "Hi.", correlationId: "c1" });
  await socket.next("message");
  box.media.stage.finishSpeaking();
  await socket.next("avatar_speech_ended");
  for (const event of socket.events) serverEventSchema.parse(event);
  const [first] = socket.events.filter((event) => event.type === "message_stream");
  const id = first?.type === "message_stream" ? first.id : "";
  const correlationId = "c1";
  const piece = { type: "message_stream", id, role: "persona", correlationId };
  expect(socket.events).toEqual([
    { type: "session_ready", sessionId: session_id, avatar: "maya", tones: ["neutral"] },
    { type: "user_message", id: expect.any(String), role: "user", content: "Hi.", correlationId },
    { ...piece, content: "Hello there.", contentIndex: 0, endOfSpeech: false, tone: "warm" },
    { type: "avatar_speech_started", correlationId },
    {
      type: "metric",
      correlationId,
      llm_ms: expect.any(Number),
      tts_ms: expect.any(Number),
      first_audio_ms: expect.any(Number),
      first_frame_ms: expect.any(Number),
    },
    { ...piece, content: "How are you?", contentIndex: 1, endOfSpeech: true, tone: "happy" },
    {
      type: "message",
      id,
      role: "persona",
      content: "Hello there. How are you?",
      tone: "warm",
      avatar: "maya",
      correlationId,
    },
    { type: "avatar_speech_ended", correlationId },
  ]);
});

test("talk and talkstream speak as written", async () => {
  await box.connect();
  const socket = await box.socket();
  socket.send({ type: "talk", content: "As written.", tone: "sad" });
  expect(await socket.next("message")).toMatchObject({
    content: "As written.",
    tone: "sad",
    correlationId: null,
  });
  const piece = { type: "talkstream", startOfSpeech: false, endOfSpeech: false, correlationId: "s1" };
  socket.send({ ...piece, content: "Made ", startOfSpeech: true });
  socket.send({ ...piece, content: "else" });
  socket.send({ ...piece, content: "where.", endOfSpeech: true });
  expect(await socket.next("message")).toMatchObject({ content: "Made elsewhere.", correlationId: "s1" });
  expect(box.model.requests).toHaveLength(0);
});

test("without a media session a message is answered in writing, with a warning, and talk is refused", async () => {
  const socket = await box.socket();
  expect(await socket.next("session_ready")).toMatchObject({ sessionId: null, avatar: "maya" });
  socket.send({ type: "message", content: "Hi." });
  await socket.next("message");
  socket.send({ type: "talk", content: "Hello." });
  expect(await socket.next("error")).toMatchObject({
    fatal: false,
    error: expect.stringContaining("/connect"),
  });
  expect(socket.types().slice(1, 3)).toEqual(["warning", "user_message"]);
});

test("an interrupt ends the turn, then the speech, then is acknowledged; nothing follows", async () => {
  box.media.held = true;
  await box.connect();
  const socket = await box.socket();
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  held.write("One. Two. Th");
  socket.send({ type: "message", content: "Count." });
  await expect.poll(() => box.voice.spoken.length).toBe(2);
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  held.write("ree. Four. Five");
  held.end();
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  const after = socket.types().slice(socket.types().indexOf("message_stream"));
  expect(after.filter((type) => type === "avatar_speech_ended")).toHaveLength(1);
  expect(after.filter((type) => type === "message")).toHaveLength(1);
  expect(after.at(-1)).toBe("interrupted");
  expect(after.indexOf("interrupted")).toBeGreaterThan(after.indexOf("message"));
  expect(box.voice.spoken.map(({ text }) => text)).toEqual(["One.", "Two."]);
});

test("nobody hears of another caller's turns", async () => {
  await box.connect();
  const mine = await box.socket();
  const other = await box.socket({ key: otherKey });
  mine.send({ type: "message", content: "A secret." });
  await mine.next("message");
  other.send({ type: "interrupt" });
  await other.next("interrupted");
  expect(other.types()).toEqual(["session_ready", "interrupted"]);
  expect(box.media.stage.interrupts).toBe(0);
  expect(other.events[0]).toMatchObject({ sessionId: null });
});

test("another account's connect takes the box over: a fatal error, then the close", async () => {
  await box.connect();
  const mine = await box.socket();
  const { session_id } = await box.connect({ key: otherKey });
  const { code } = await mine.closed;
  expect(code).toBe(closeCode.normal);
  expect(mine.events.at(-1)).toMatchObject({ type: "error", fatal: true });
  expect(box.media.stages[0]?.closed).toBe(true);
  expect(box.media.peers[0]?.closed).toBe(true);
  expect(box.services.slot.current?.id).toBe(session_id);
  const line = box.logged.find((entry) => entry.msg === "session ended");
  expect(line).toMatchObject({ reason: "replaced" });
});

test("what is no JSON object is answered a few times, then refused", async () => {
  const socket = await box.socket();
  for (const frame of ["nonsense", "[]", '"text"', '{"type":3}', "null", "{"]) socket.send(frame);
  const { code } = await socket.closed;
  expect(code).toBe(closeCode.policy);
  expect(socket.events.filter((event) => event.type === "error").map((event) => event.fatal)).toEqual([
    ...Array.from({ length: 5 }, () => false),
    true,
  ]);
});

test("unknown types are ignored, unknown fields and blank content are not", async () => {
  const socket = await box.socket();
  socket.send({ type: "dance", tempo: 3 });
  socket.send({ type: "heartbeat" });
  socket.send({ type: "message", content: "Hi", volume: 11 });
  expect(await socket.next("error")).toMatchObject({
    error: expect.stringContaining("volume"),
    fatal: false,
  });
  socket.send({ type: "message", content: "  " });
  expect(await socket.next("error")).toMatchObject({ error: expect.stringContaining("content") });
  expect(socket.types()).toEqual(["session_ready", "error", "error"]);
});

test("binary, huge and too many frames close the socket with their codes and one log line each", async () => {
  const cases: [code: number, frames: (string | Buffer)[]][] = [
    [closeCode.unsupported, [Buffer.from([1, 2, 3])]],
    [
      closeCode.tooLarge,
      [JSON.stringify({ type: "message", content: "x".repeat(limits.controlFrameBytes) })],
    ],
    [closeCode.policy, Array.from({ length: 1_000 }, () => '{"type":"heartbeat"}')],
  ];
  for (const [expected, frames] of cases) {
    const before = box.logged.filter((line) => line.level === 40).length;
    const socket = await box.socket();
    for (const frame of frames) socket.send(frame);
    const { code } = await socket.closed;
    expect(code).toBe(expected);
    await expect.poll(() => box.logged.filter((line) => line.level === 40)).toHaveLength(before + 1);
  }
  const next = await box.socket();
  expect(await next.next("session_ready")).toBeDefined();
});

test("a fresh credential of the same account keeps the socket; another's does not count", async () => {
  const socket = await box.socket();
  socket.send({ type: "auth", token: "key-of-the-first-caller" });
  expect(await socket.next("auth_state")).toEqual({ type: "auth_state", live: true });
  for (const token of [otherKey, "nobody's"]) {
    socket.send({ type: "auth", token });
    expect(await socket.next("auth_state")).toEqual({ type: "auth_state", live: false });
  }
});

test("a ceiling in the upgrade query, or a broken one", async () => {
  await box.connect();
  await box.socket({ query: "&max_session_length_seconds=1234" });
  expect(box.services.slot.current?.limits.maxSeconds).toBe(1234);
  await expect(box.socket({ query: "&max_session_length_seconds=soon" })).rejects.toThrow("400");
});

test("the box's end is a fatal error with the going-away code", async () => {
  const socket = await box.socket();
  await socket.next("session_ready");
  const closing = box.end();
  expect((await socket.closed).code).toBe(1001);
  expect(socket.events.at(-1)).toMatchObject({ type: "error", fatal: true });
  await closing;
});

test("a client that does not read is dropped, and its session serves on", async () => {
  await box.connect();
  const slow = await box.socket();
  await slow.next("session_ready");
  slow.pause();
  const filling = "x".repeat(64 * 1024);
  const account = box.services.slot.current?.account ?? "";
  await expect
    .poll(() => {
      for (let index = 0; index < 16; index++)
        box.services.hub.publish(account, { type: "warning", message: filling });
      return box.services.sockets.size;
    })
    .toBe(0);
  expect(box.logged.some((line) => line.msg === "control socket refused")).toBe(true);
  expect((await box.ask("/api/talk", { body: { text: "Hello." } })).status).toBe(200);
});
