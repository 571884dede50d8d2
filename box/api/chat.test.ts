import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  chatStatusSchema,
  liveReplySchema,
  recordedReplySchema,
  type ChatFrame,
} from "../../contract/chat.ts";
import { HeldReply } from "../testing/fake-model.ts";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";
import { StaticKeys } from "../access/static-keys.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

const ndjson = { Accept: "text/html, Application/X-NDJSON;q=0.9" };

async function frames(response: Response): Promise<ChatFrame[]> {
  const lines = (await response.text()).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as ChatFrame);
}

test("with a live session the reply is spoken into it", async () => {
  await box.connect();
  box.model.reply = () => ["[warm] Hello ", "there. How ", "are you?"];
  const response = await box.ask("/api/chat", { body: { message: "Hi" } });
  expect(response.status).toBe(200);
  expect(liveReplySchema.strict().parse(await response.json())).toEqual({
    reply: "Hello there. How are you?",
    tone: "warm",
    avatar: "maya",
    tools: [],
    streamed: true,
    identity: "maya",
    tones: ["neutral"],
    voice_notice: "",
  });
  expect(box.voice.spoken).toEqual([
    { text: "Hello there.", voice: "en-us+f3", tone: "warm" },
    { text: "How are you?", voice: "en-us+f3", tone: "warm" },
  ]);
  expect(box.media.stage.pushedMs).toBeGreaterThan(0);
});

test("with no live session the reply is recorded under a name of the caller's own", async () => {
  const response = await box.ask("/api/chat", { body: { message: "Hi", avatar: "theo" } });
  const reply = recordedReplySchema.strict().parse(await response.json());
  expect(reply).toMatchObject({ reply: "Hello there. How are you?", identity: "theo" });
  expect(box.voice.spoken[0]?.voice).toBe("en-us+m3");
  const caller = await new StaticKeys([staticKey]).lookup(staticKey);
  const path = box.services.audios.path(caller?.account ?? "", reply.audio);
  const wav = await readFile(path ?? "");
  expect(wav.toString("latin1", 0, 4)).toBe("RIFF");
  expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
  expect(
    await readFile(box.services.audios.path("somebody else", reply.audio) ?? "").catch(() => null),
  ).toBeNull();
});

test("by header or by field, the reply comes as a frame per clause and a closing one", async () => {
  await box.connect();
  box.model.reply = () => ["[happy] One. ", "[sad] Two."];
  for (const options of [
    { headers: ndjson, body: { message: "Hi" } },
    { body: { message: "Hi", stream: true } },
  ]) {
    const response = await box.ask("/api/chat", options);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(await frames(response)).toEqual([
      { type: "reply_chunk", text: "One.", tone: "happy" },
      { type: "reply_chunk", text: "Two.", tone: "sad" },
      expect.objectContaining({ type: "reply", reply: "One. Two.", tone: "happy", streamed: true }),
    ]);
  }
});

test.each(["true", 1, {}])("stream %j is not the boolean true", async (stream) => {
  const response = await box.ask("/api/chat", { body: { message: "Hi", stream } });
  expect(response.headers.get("content-type")).toContain("application/json");
});

const use = (name: string, input: Record<string, unknown> = {}) => ({
  case: "tool_use" as const,
  use: { id: "use-1", name, arguments: input },
});

test("tools that run are frames between the clauses, and stand in the closing reply by their labels", async () => {
  await box.connect();
  let asked = 0;
  box.model.reply = () =>
    asked++ === 0 ? ["One moment. ", use("set_language", { language: "de" })] : ["[warm] Gern."];
  const response = await box.ask("/api/chat", { body: { message: "Deutsch bitte", stream: true } });
  const label = expect.any(String);
  expect(await frames(response)).toEqual([
    { type: "reply_chunk", text: "One moment.", tone: "neutral" },
    { type: "tool", name: "set_language", label },
    { type: "reply_chunk", text: "Gern.", tone: "warm" },
    expect.objectContaining({ type: "reply", reply: "One moment. Gern.", tools: [label] }),
  ]);
});

test("a persona that keeps quiet answers with no words and no error, live and recorded", async () => {
  box.model.reply = () => [use("skip_turn")];
  const recorded = await box.ask("/api/chat", { body: { message: "Not you" } });
  expect(recordedReplySchema.strict().parse(await recorded.json())).toMatchObject({ reply: "", audio: "" });
  await box.connect();
  const live = await box.ask("/api/chat", { body: { message: "Not you" } });
  expect(liveReplySchema.strict().parse(await live.json())).toMatchObject({
    reply: "",
    tools: [expect.any(String)],
  });
  const stream = await frames(await box.ask("/api/chat", { body: { message: "Not you", stream: true } }));
  expect(stream.map(({ type }) => type)).toEqual(["tool", "reply"]);
});

test("an avatar nobody knows is refused; with a live session the live face speaks, whoever is named", async () => {
  await box.connect();
  const unknown = await box.ask("/api/chat", { headers: ndjson, body: { message: "Hi", avatar: "nobody" } });
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toEqual({ error: expect.stringContaining("nobody") });
  const other = await box.ask("/api/chat", { body: { message: "Hi", avatar: "theo" } });
  expect(await other.json()).toMatchObject({ avatar: "maya", identity: "maya" });
});

test("a reader who leaves does not stop a live turn, but one with nobody else to hear it", async () => {
  const leave = async () => {
    const held = new HeldReply();
    box.model.reply = () => held.stream();
    held.write("One. Two");
    const count = box.model.requests.length;
    const leaving = new AbortController();
    const asked = fetch(`${box.url}/api/chat`, {
      method: "POST",
      headers: { "X-Api-Key": staticKey },
      body: JSON.stringify({ message: "Hi", stream: true }),
      signal: leaving.signal,
    }).then((response) => response.text());
    await expect.poll(() => box.model.requests.length).toBe(count + 1);
    await expect.poll(() => box.voice.spoken.length).toBeGreaterThan(0);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    return { held, signal: box.model.requests.at(-1)?.signal };
  };
  const recorded = await leave();
  await expect.poll(() => recorded.signal?.aborted).toBe(true);
  const caller = await new StaticKeys([staticKey]).lookup(staticKey);
  const history = () => box.services.conversations.of(caller?.account ?? "").messages();
  expect(history().map(({ role }) => role)).toEqual(["user"]);
  await box.connect();
  const live = await leave();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(live.signal?.aborted).toBe(false);
  live.held.end();
  await expect.poll(() => history().at(-1)).toEqual({ role: "assistant", content: "One. Two" });
});

test("a single answer that nobody waits for any more is not made to its end either", async () => {
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  const leaving = new AbortController();
  const asked = fetch(`${box.url}/api/chat`, {
    method: "POST",
    headers: { "X-Api-Key": staticKey },
    body: JSON.stringify({ message: "Hi" }),
    signal: leaving.signal,
  });
  await expect.poll(() => box.model.requests.length).toBe(1);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => box.model.requests[0]?.signal.aborted).toBe(true);
});

test("a turn cut before its first word closes its stream with an error that says so", async () => {
  await box.connect();
  box.model.reply = () => new HeldReply().stream();
  const turn = box.ask("/api/chat", { body: { message: "Hi", stream: true } });
  await expect.poll(() => box.model.requests.length).toBe(1);
  await box.ask("/api/interrupt", { method: "POST" });
  expect(await frames(await turn)).toEqual([{ type: "error", error: expect.any(String), interrupted: true }]);
});

test("an interrupt stops what ran when it came in, however long its caller is looked up", async () => {
  await box.connect();
  const { access } = box.services;
  const identify = access.identify.bind(access);
  const looked = Promise.withResolvers<void>();
  const slow = vi.spyOn(access, "identify").mockImplementationOnce(async (secret) => {
    await looked.promise;
    return identify(secret);
  });
  const interrupt = box.ask("/api/interrupt", { method: "POST" });
  await expect.poll(() => slow.mock.calls.length).toBe(1);
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  const turn = box.ask("/api/chat", { body: { message: "Hi" } });
  await expect.poll(() => box.model.requests.length).toBe(1);
  looked.resolve();
  expect((await interrupt).status).toBe(200);
  held.write("Still here.");
  held.end();
  expect(await (await turn).json()).toMatchObject({ reply: "Still here." });
});

test("frames go out while the model still writes", async () => {
  await box.connect();
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  held.write("One. Two");
  const response = await box.ask("/api/chat", { body: { message: "Hi", stream: true } });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toContain('"text":"One."');
  held.end();
  await reader?.cancel();
});

test("with no live session the whole stream is the closing frame", async () => {
  const response = await box.ask("/api/chat", { body: { message: "Hi", stream: true } });
  expect(await frames(response)).toEqual([
    expect.objectContaining({ type: "reply", audio: expect.stringMatching(/^reply-\w+\.wav$/) }),
  ]);
});

test("what can be refused beforehand is an ordinary status, also of a stream", async () => {
  await box.connect();
  expect((await box.ask("/api/chat", { headers: ndjson, body: { message: "" } })).status).toBe(400);
  box.voice.available = false;
  const response = await box.ask("/api/chat", { headers: ndjson, body: { message: "Hi" } });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ error: expect.stringContaining("not installed") });
});

function failing() {
  const held = new HeldReply();
  held.fail("The model failed.");
  return held.stream();
}

test("a turn without words is a 502, or a closing error frame", async () => {
  await box.connect();
  box.model.reply = failing;
  const single = await box.ask("/api/chat", { body: { message: "Hi" } });
  expect(single.status).toBe(502);
  expect(await single.json()).toEqual({ error: "The model failed.", interrupted: false });
  const stream = await box.ask("/api/chat", { body: { message: "Hi", stream: true } });
  expect(await frames(stream)).toEqual([{ type: "error", error: "The model failed.", interrupted: false }]);
  box.model.reply = () => [];
  expect((await box.ask("/api/chat", { body: { message: "Hi" } })).status).toBe(502);
  await box.ask("/disconnect", { method: "POST" });
  box.model.reply = failing;
  const recorded = await box.ask("/api/chat", { body: { message: "Hi" } });
  expect(recorded.status).toBe(502);
  expect(await recorded.json()).toEqual({ error: "The model failed." });
});

test("a model that fails in the middle leaves the words it gave", async () => {
  await box.connect();
  const held = new HeldReply();
  box.model.reply = async function* () {
    yield "One. Two";
    throw new Error("the wire broke");
  };
  held.end();
  const response = await box.ask("/api/chat", { body: { message: "Hi", stream: true } });
  expect(await frames(response)).toEqual([
    { type: "reply_chunk", text: "One.", tone: "neutral" },
    expect.objectContaining({ type: "reply", reply: "One." }),
  ]);
});

test("a voice that fails at once is a 502", async () => {
  await box.connect();
  box.voice.stumblesOver = "Hello";
  const response = await box.ask("/api/chat", { body: { message: "Hi" } });
  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({ error: "The voice broke.", interrupted: false });
});

test("an interrupt before the first word says so", async () => {
  await box.connect();
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  const turn = box.ask("/api/chat", { body: { message: "Hi" } });
  await expect.poll(() => box.model.requests.length).toBe(1);
  expect(await (await box.ask("/api/interrupt", { method: "POST", body: "ignored" })).json()).toEqual({
    ok: true,
  });
  const response = await turn;
  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({ error: expect.any(String), interrupted: true });
});

test("history is each caller's own, and a reset closes only the caller's", async () => {
  await box.ask("/api/chat", { body: { message: "My name is Ada" } });
  await box.ask("/api/chat", { key: otherKey, body: { message: "Who am I?" } });
  await box.ask("/api/chat", { body: { message: "And who am I?" } });
  expect(
    box.model.requests.map(({ messages }) =>
      messages.map((message) => (message.role === "tool" ? message.results : message.content)),
    ),
  ).toEqual([
    ["My name is Ada"],
    ["Who am I?"],
    ["My name is Ada", "Hello there. How are you?", "And who am I?"],
  ]);
  const reset = await box.ask("/api/chat/reset", { method: "POST" });
  expect(await reset.json()).toEqual({ ok: true, data: { conversation_id: expect.any(String) } });
  expect(await (await box.ask("/api/chat/reset", { method: "POST" })).json()).toEqual({
    ok: true,
    data: { conversation_id: null },
  });
  await box.ask("/api/chat", { key: otherKey, body: { message: "Still here" } });
  expect(box.model.requests.at(-1)?.messages).toHaveLength(3);
});

test("an interrupted reply is remembered as far as it was heard", async () => {
  box.media.held = true;
  await box.connect();
  box.media.stage.playedShare = 0.5;
  box.model.reply = () => ["One two three four. Five six seven eight."];
  await box.ask("/api/chat", { body: { message: "Count" } });
  await box.ask("/api/interrupt", { method: "POST" });
  await box.ask("/api/chat", { body: { message: "Go on" } });
  expect(box.model.requests.at(-1)?.messages).toEqual([
    { role: "user", content: "Count" },
    { role: "assistant", content: "One two three four." },
    { role: "user", content: "Go on" },
  ]);
});

test("a new message takes the floor from the reply before it", async () => {
  box.media.held = true;
  await box.connect();
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  held.write("A long story. It ");
  const first = box.ask("/api/chat", { body: { message: "Tell me" } });
  await expect.poll(() => box.voice.spoken.length).toBe(1);
  box.model.reply = () => ["Yes."];
  const second = await box.ask("/api/chat", { body: { message: "Wait" } });
  expect(await second.json()).toMatchObject({ reply: "Yes." });
  expect(await (await first).json()).toMatchObject({ reply: "A long story." });
  expect(box.media.stage.interrupts).toBe(1);
});

test("talk is spoken as written, needs a session and leaves no history", async () => {
  const early = await box.ask("/api/talk", { body: { text: "Hello." } });
  expect(early.status).toBe(409);
  expect(await early.json()).toEqual({ error: expect.stringContaining("/connect") });
  await box.connect();
  const spoken = await box.ask("/api/talk", { body: { content: "Hello [there]. Bye.", tone: "serious" } });
  expect(await spoken.json()).toEqual({ ok: true, spoken: "Hello [there]. Bye." });
  await expect.poll(() => box.voice.spoken.length).toBe(2);
  expect(box.voice.spoken).toMatchObject([
    { text: "Hello [there].", tone: "serious" },
    { text: "Bye.", tone: "serious" },
  ]);
  expect((await box.ask("/api/talk", { body: { text: " " } })).status).toBe(400);
  expect((await box.ask("/api/talk", { body: { text: "Hi", tone: "furious" } })).status).toBe(400);
  box.voice.available = false;
  expect((await box.ask("/api/talk", { body: { text: "Hello." } })).status).toBe(503);
  expect(box.model.requests).toHaveLength(0);
});

test("readiness names what is down", async () => {
  const good = chatStatusSchema.strict().parse(await (await box.ask("/api/chat/status")).json());
  expect(good).toMatchObject({ ready: true, reason: "" });
  box.voice.available = false;
  const bad = chatStatusSchema.strict().parse(await (await box.ask("/api/chat/status")).json());
  expect(bad).toMatchObject({
    ready: false,
    llm: true,
    tts: false,
    reason: expect.stringContaining("not installed"),
  });
});
