import { afterEach, beforeEach, expect, test } from "vitest";
import { serverEventSchema } from "../../contract/control-socket.ts";
import { toolDefinitionSchema } from "../../contract/tools.ts";
import type { ModelPiece, ModelRequest } from "../chat/models/model.ts";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";

/** Of a machine that has other things to do. */
const patience = { timeout: 60_000, interval: 5 };

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

const toolUse = (name: string, given: Record<string, unknown> = {}): ModelPiece => ({
  case: "tool_use",
  use: { id: `use-of-${name}`, name, arguments: given },
});

/** Saves a tool; without an endpoint it runs at the client. */
async function withTool(
  mode: "await_result" | "fire_and_forget" = "await_result",
  endpoint?: string,
): Promise<void> {
  const tool = toolDefinitionSchema.parse({
    name: "look_up_order",
    description: "Looks an order up.",
    parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    mode,
    endpoint,
  });
  const account = box.services.slot.current?.account ?? "";
  expect(await box.services.portal.saveSettings(account, { tools: [tool] })).toMatchObject({ ok: true });
}

/** The model calls the tool, then says what came of it. */
function usesTool(): (request: ModelRequest) => (ModelPiece | string)[] {
  return ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== "tool") return [toolUse("look_up_order", { order: "42" })];
    return last.results.map(({ content, isError }) => `${isError ? "Sorry" : "Found"}: ${content}.`);
  };
}

test("a tool at the client: called over every socket of the account, answered by one, once", async () => {
  await box.connect();
  await withTool();
  box.model.reply = usesTool();
  const [asking, tab, stranger] = [
    await box.socket(),
    await box.socket(),
    await box.socket({ key: otherKey }),
  ];
  asking.send({ type: "message", content: "Where is my order?", correlationId: "c1" });
  const call = await tab.next("tool_call");
  serverEventSchema.parse(call);
  expect(call).toEqual({
    type: "tool_call",
    id: expect.any(String),
    name: "look_up_order",
    arguments: { order: "42" },
    correlationId: "c1",
  });
  expect(await asking.next("tool_call")).toEqual(call);
  stranger.send({ type: "tool_result", id: call.id, result: "forged" });
  stranger.send({ type: "interrupt" });
  await stranger.next("interrupted");
  tab.send({ type: "tool_result", id: "another", result: "unknown" });
  tab.send({ type: "tool_result", id: call.id, result: { state: "sent" } });
  tab.send({ type: "tool_result", id: call.id, result: "again" });
  expect(await asking.next("message")).toMatchObject({
    content: expect.stringContaining('Found: {"state":"sent"}.'),
    correlationId: "c1",
  });
  expect(stranger.types()).toEqual(["session_ready", "interrupted"]);
});

test("an interrupt while the client is asked closes the turn, and its late answer is nothing", async () => {
  await box.connect();
  await withTool();
  box.model.reply = usesTool();
  const socket = await box.socket();
  socket.send({ type: "message", content: "Where is my order?" });
  const { id } = await socket.next("tool_call");
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  const before = socket.events.length;
  socket.send({ type: "tool_result", id, result: "late" });
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  expect(socket.types().slice(before)).toEqual(["interrupted"]);
  expect(box.model.requests).toHaveLength(1);
});

test("when the last socket goes, the model hears that nobody is there", async () => {
  await box.connect();
  await withTool();
  box.model.reply = usesTool();
  const socket = await box.socket();
  socket.send({ type: "message", content: "Where is my order?" });
  await socket.next("tool_call");
  socket.drop();
  await expect.poll(() => box.model.requests.length, patience).toBe(2);
  expect(box.model.requests[1]?.messages.at(-1)).toMatchObject({
    role: "tool",
    results: [{ isError: true, content: expect.stringContaining("Nobody is connected") }],
  });
});

test("a tool that is told and not waited for", async () => {
  await box.connect();
  await withTool("fire_and_forget");
  box.model.reply = usesTool();
  const socket = await box.socket();
  socket.send({ type: "message", content: "Note my order." });
  const { id } = await socket.next("tool_call");
  expect(await socket.next("message")).toMatchObject({ content: expect.stringContaining("started") });
  socket.send({ type: "tool_result", id, result: "nobody waits" });
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
});

test("the persona ends the call: the session is over, the control socket goes on", async () => {
  await box.connect();
  const socket = await box.socket();
  box.model.reply = () => ["Goodbye, then. ", toolUse("end_call")];
  socket.send({ type: "message", content: "Bye." });
  expect(await socket.next("message")).toMatchObject({ content: expect.stringContaining("Goodbye") });
  await expect.poll(() => box.services.slot.current, patience).toBeNull();
  socket.send({ type: "talk", content: "Anybody?" });
  expect(await socket.next("error")).toMatchObject({
    fatal: false,
    error: expect.stringContaining("/connect"),
  });
  // The next session of the account is this socket's as well.
  await box.connect();
  box.model.reply = () => ["Hello again."];
  socket.send({ type: "message", content: "Hi." });
  expect(await socket.next("message")).toMatchObject({ content: "Hello again.", avatar: "maya" });
});

test("an avatar and a voice for one turn: those there are count, others are refused before anything happens", async () => {
  await box.connect();
  const socket = await box.socket();
  for (const wish of [{ avatar: "nobody" }, { voice: "nobody" }]) {
    socket.send({ type: "message", content: "Hi.", ...wish });
    expect(await socket.next("error")).toMatchObject({
      fatal: false,
      error: expect.stringContaining("nobody"),
    });
  }
  expect(box.model.requests).toHaveLength(0);
  socket.send({ type: "message", content: "Hi.", avatar: "maya", voice: "en-us+m3" });
  await socket.next("message");
  expect(box.voice.spoken[0]?.voice).toBe("en-us+m3");
});

/** Settings that arrive when the test says so; from the given time on they are there at once. */
function heldSettings({ times = Infinity } = {}): { arrive(): void; asked(): number } {
  const { portal } = box.services;
  const settings = portal.settings.bind(portal);
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  portal.settings = async (account) => {
    asked++;
    if (asked <= times) await gate.promise;
    return settings(account);
  };
  return { arrive: () => gate.resolve(), asked: () => asked };
}

test("what has not been accepted when an interrupt comes is refused, and never begins", async () => {
  await box.connect();
  const socket = await box.socket();
  const gate = heldSettings({ times: 1 });
  socket.send({ type: "message", content: "First." });
  socket.send({ type: "talk", content: "Second." });
  await expect.poll(gate.asked, patience).toBe(1);
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  expect(socket.types()).toEqual(["session_ready", "error", "error", "interrupted"]);
  // What comes afterwards does not wait for what is over.
  socket.send({ type: "message", content: "Third." });
  await socket.next("message");
  gate.arrive();
  socket.send({ type: "talk", content: "Fourth." });
  await socket.next("message");
  expect(box.model.requests).toHaveLength(1);
  expect(box.voice.spoken.some(({ text }) => text.includes("Second"))).toBe(false);
  const accepted = socket.events.flatMap((event) => (event.type === "user_message" ? [event.content] : []));
  expect(accepted).toEqual(["Third."]);
});

test("messages are accepted in their order; more than may wait are refused", async () => {
  await box.connect();
  const socket = await box.socket();
  const gate = heldSettings();
  for (let count = 0; count < 18; count++) socket.send({ type: "message", content: `Number ${count}.` });
  for (let count = 0; count < 2; count++)
    expect(await socket.next("error")).toMatchObject({
      fatal: false,
      error: expect.stringContaining("wait"),
    });
  gate.arrive();
  const accepted = () =>
    socket.events.flatMap((event) => (event.type === "user_message" ? [event.content] : []));
  await expect.poll(() => accepted().length, patience).toBe(16);
  expect(accepted()).toEqual(Array.from({ length: 16 }, (_, index) => `Number ${index}.`));
});

test("a ceiling in the upgrade query is a number of seconds, 0 for none", async () => {
  await box.connect();
  for (const [text, seconds] of [
    ["0", 0],
    ["12.5", 12.5],
    ["999999999", 999_999_999],
  ] as const) {
    await box.socket({ query: `&max_session_length_seconds=${text}` });
    expect(box.services.slot.current?.limits.maxSeconds).toBe(seconds);
  }
  for (const text of ["%20", "-1", "1e3", "0x10", "Infinity", "NaN", "9".repeat(20)])
    await expect(box.socket({ query: `&max_session_length_seconds=${text}` })).rejects.toThrow("400");
  expect(box.services.slot.current?.limits.maxSeconds).toBe(999_999_999);
});

test("one caller's sockets leave room for another's", async () => {
  const own = await Promise.all(Array.from({ length: 50 }, () => box.socket({ key: staticKey })));
  await expect(box.socket({ key: staticKey })).rejects.toThrow("503");
  const other = await box.socket({ key: otherKey });
  await other.next("session_ready");
  own[0]?.drop();
  await expect.poll(() => box.services.sockets.size, patience).toBe(50);
  await (await box.socket({ key: staticKey })).next("session_ready");
  // Many at once are counted as well.
  const rush = await Promise.allSettled(Array.from({ length: 20 }, () => box.socket({ key: staticKey })));
  expect(rush.filter(({ status }) => status === "fulfilled")).toHaveLength(0);
});

test("words with half a character reach voice and listeners whole", async () => {
  await box.connect();
  const socket = await box.socket();
  socket.send('{"type":"talk","content":"Half \\ud83c of it.","correlationId":"\\udfff"}');
  const { content, correlationId } = await socket.next("message");
  expect(content).toBe("Half \ufffd of it.");
  expect(correlationId).toBe("\udfff");
  expect(box.voice.spoken.every(({ text }) => text.isWellFormed())).toBe(true);
});

test("a tool whose endpoint is in the box's own network is not called, and the model hears why", async () => {
  await box.connect();
  await withTool("await_result", `${box.url.replace("http", "https")}/health`);
  box.model.reply = usesTool();
  const socket = await box.socket();
  socket.send({ type: "message", content: "Where is my order?" });
  expect(await socket.next("message")).toMatchObject({
    content: expect.stringContaining("Sorry: The tool's address is not on the public internet."),
  });
  expect(socket.types()).not.toContain("tool_call");
});
