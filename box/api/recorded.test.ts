// Replies recorded for callers with no live session, and words spoken as they are, over HTTP.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StaticKeys } from "../access/static-keys.ts";
import { HeldReply } from "../testing/fake-model.ts";
import { startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

const chat = (body: object, headers = {}) => box.ask("/api/chat", { body, headers });
const stop = () => box.ask("/api/interrupt", { method: "POST" });

async function history(): Promise<string[]> {
  const caller = await new StaticKeys([staticKey]).lookup(staticKey);
  const conversation = box.services.conversations.of(caller?.account ?? "");
  return conversation.messages().map(({ role, content }) => `${role}: ${content}`);
}

async function turnsCounted(): Promise<Record<string, number>> {
  const text = await (await box.ask("/metrics")).text();
  const counted = text.matchAll(/^visavis_turns_total\{source="posted",outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(counted, ([, outcome, count]) => [outcome, Number(count)]));
}

/** A voice that heeds no signal and never gets to clauses that contain `word`. */
function stuckAt(word: string): () => boolean {
  let stuck = false;
  box.voice.pause = (text) => {
    if (!text.includes(word)) return Promise.resolve();
    stuck = true;
    return new Promise(() => undefined);
  };
  return () => stuck;
}

test("an engine that is stuck holds up neither a stop nor the account's next message", async () => {
  for (const [next, cut] of [
    ["a stop", stop],
    ["a message", () => chat({ message: "Next" })],
  ] as const) {
    const stuck = stuckAt("Hello");
    const first = chat({ message: next });
    await expect.poll(stuck).toBe(true);
    box.voice.pause = () => Promise.resolve();
    expect((await cut()).status).toBe(200);
    const answer = await first;
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({ error: "The reply was interrupted before it began." });
  }
  expect(await history()).toEqual(["user: a stop\na message\nNext", "assistant: Hello there. How are you?"]);
  expect(await turnsCounted()).toEqual({ interrupted: 2, replied: 1 });
});

test("a reply cut between its clauses is the clauses that were spoken", async () => {
  box.model.reply = () => ["First part. Second part."];
  const stuck = stuckAt("Second");
  const first = chat({ message: "Hi" });
  await expect.poll(stuck).toBe(true);
  await stop();
  expect(await (await first).json()).toMatchObject({ reply: "First part." });
  expect(await history()).toEqual(["user: Hi", "assistant: First part."]);
});

test("a stop while a recorded reply is prepared stops it", async () => {
  const { portal } = box.services;
  const settings = portal.settings.bind(portal);
  const slow = Promise.withResolvers<void>();
  const asked = vi.spyOn(portal, "settings").mockImplementationOnce(async (account) => {
    await slow.promise;
    return settings(account);
  });
  for (const body of [{ message: "Hi" }, { message: "Hi", stream: true }]) {
    const before = asked.mock.calls.length;
    const turn = chat(body);
    await expect.poll(() => asked.mock.calls.length).toBe(before + 1);
    if (before === 0) expect((await stop()).status).toBe(200);
    slow.resolve();
    const text = await (await turn).text();
    if (before === 0)
      expect(JSON.parse(text)).toEqual({ error: "The reply was interrupted before it began." });
    else expect(JSON.parse(text)).toMatchObject({ type: "reply" });
  }
  expect(box.model.requests).toHaveLength(1);
});

test("a reply whose recording could not be kept was never given", async () => {
  const save = vi.spyOn(box.services.audios, "save").mockImplementationOnce(async (_, pieces) => {
    for await (const piece of pieces) expect(piece.samples.length).toBeGreaterThan(0);
    throw new Error("The disk of the box is full.");
  });
  const lost = await chat({ message: "Lost" });
  expect(lost.status).toBe(500);
  expect(await lost.text()).not.toContain("disk");
  expect(save).toHaveBeenCalledOnce();
  expect(await history()).toEqual(["user: Lost"]);
  expect(await turnsCounted()).toEqual({ failed: 1 });
});

test("a voice that breaks leaves no recorded reply, and nothing of it in the history", async () => {
  box.voice.stumblesOver = "How";
  const broken = await chat({ message: "Hi" });
  expect([broken.status, await broken.json()]).toEqual([502, { error: "The voice broke." }]);
  expect(await history()).toEqual(["user: Hi"]);
});

test("what a persona does instead of answering is counted as that", async () => {
  box.model.reply = () => [{ case: "tool_use", use: { id: "use", name: "skip_turn", arguments: {} } }];
  expect(await (await chat({ message: "Not you" })).json()).toMatchObject({ reply: "", audio: "" });
  box.model.reply = () => [];
  expect((await chat({ message: "Hi" })).status).toBe(502);
  expect(await turnsCounted()).toEqual({ acted: 1, failed: 1 });
});

test.each([
  ["application/x-ndjson;q=0", false],
  ["text/html, application/x-ndjson; q=0.000", false],
  ["application/json", false],
  ["application/x-ndjson;q=0.1", true],
  ['text/html;level="a,b", APPLICATION/X-NDJSON', true],
])("Accept: %s", async (accept, streams) => {
  const response = await chat({ message: "Hi" }, { accept });
  expect(response.headers.get("content-type")?.includes("x-ndjson")).toBe(streams);
});

test("talk whose voice breaks at once is a 502, and one error for each listener, whoever asked", async () => {
  await box.connect();
  const [one, other] = [await box.socket(), await box.socket()];
  box.voice.stumblesOver = "broken";
  const response = await box.ask("/api/talk", { body: { text: "This is broken. More." } });
  expect([response.status, await response.json()]).toEqual([502, { error: "The voice broke." }]);
  one.send({ type: "talk", content: "Also broken." });
  one.send({ type: "talk", content: "?!" });
  one.send({ type: "talk", content: "Fine.", correlationId: "last" });
  await Promise.all([one.next("message"), other.next("message")]);
  const errors = (socket: typeof one) =>
    socket.events.flatMap((event) => (event.type === "error" ? event.error : []));
  expect(errors(other)).toEqual(["The voice broke.", "The voice broke."]);
  expect(errors(one).toSorted()).toEqual([
    "The voice broke.",
    "The voice broke.",
    "text: has nothing that can be spoken.",
  ]);
});

test("talk with nothing to say is a 400; halves of characters are replaced", async () => {
  await box.connect();
  for (const text of ["?!", "🙂", " "])
    expect((await box.ask("/api/talk", { body: { text } })).status).toBe(400);
  const response = await box.ask("/api/talk", { body: String.raw`{"text":"Half \ud83d of it."}` });
  expect(await response.json()).toEqual({ ok: true, spoken: "Half \ufffd of it." });
  expect(box.voice.spoken).toMatchObject([{ text: "Half \ufffd of it." }]);
});

test("a stop of a talk begun since its request came in leaves it alone", async () => {
  box.media.held = true;
  await box.connect();
  const { access } = box.services;
  const identify = access.identify.bind(access);
  const looked = Promise.withResolvers<void>();
  const slow = vi.spyOn(access, "identify").mockImplementationOnce(async (secret) => {
    await looked.promise;
    return identify(secret);
  });
  const interrupt = stop();
  await expect.poll(() => slow.mock.calls.length).toBe(1);
  expect((await box.ask("/api/talk", { body: { text: "This was begun later." } })).status).toBe(200);
  looked.resolve();
  expect((await interrupt).status).toBe(200);
  expect(box.media.stage.interrupts).toBe(0);
});

test("a reader who leaves a stuck recording frees the account", async () => {
  const held = new HeldReply();
  held.write("One. Two");
  box.model.reply = () => held.stream();
  const stuck = stuckAt("One");
  const leaving = new AbortController();
  const asked = fetch(`${box.url}/api/chat`, {
    method: "POST",
    headers: { "X-Api-Key": staticKey },
    body: JSON.stringify({ message: "Hi" }),
    signal: leaving.signal,
  });
  await expect.poll(stuck).toBe(true);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(turnsCounted).toEqual({ interrupted: 1 });
});
