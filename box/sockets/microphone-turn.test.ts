// Spoken turns through a whole box: what is sent, in which order, and what the model sees.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { MicrophoneEvent } from "../../contract/microphone-socket.ts";
import { HeldReply } from "../testing/fake-model.ts";
import type { MicrophoneClient } from "../testing/microphone-client.ts";
import { checkEvents } from "../testing/microphone-rules.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
let microphone: MicrophoneClient;

beforeEach(async () => {
  box = await startTestBox();
  box.media.held = true;
  await box.connect();
  microphone = await box.microphone();
  await microphone.next("ready");
});

afterEach(async () => {
  expect(microphone.nonsense).toEqual([]);
  checkEvents(microphone.events, false);
  await box.close();
});

const toolUse = (name: string, given: Record<string, unknown> = {}) => ({
  case: "tool_use" as const,
  use: { id: `use-${name}`, name, arguments: given },
});
const askedFor = () => box.model.requests.map(({ messages }) => messages);
const lastAsked = () => box.model.requests.at(-1)?.messages;
const said = (text: string) => ({ role: "user", content: text });
const without = (...types: string[]) => microphone.events.filter(({ type }) => !types.includes(type));

/** The turn has closed. */
async function settled(): Promise<void> {
  for (let open = true; open;) {
    const state = await microphone.next("state");
    open = !("thinking" in state) || state.thinking;
  }
}

test("a spoken turn: every event, its fields and their order", async () => {
  box.model.reply = () => ["[warm] Hello there. ", "[happy] How are you?"];
  const { listener } = box.ears;
  listener.tell({ case: "speech_started", atMs: performance.now() });
  listener.tell({ case: "partial", text: "hi" });
  listener.tell({ case: "endpoint", eot: 0.25, waitMs: 899.6, reason: "mid_sentence" });
  listener.tell({ case: "turn", text: "Hi.", speechEndedAtMs: performance.now() });
  await settled();
  const metric = microphone.events.find(({ type }) => type === "metric");
  expect(metric).toEqual({ type: "metric", first_audio_ms: expect.any(Number), spec: false });
  const expected: MicrophoneEvent[] = [
    { type: "ready", sample_rate: 16_000, voice_origin: "box" },
    { type: "partial", text: "hi" },
    { type: "endpoint", eot: 0.25, wait_ms: 900, reason: "mid_sentence" },
    { type: "final", text: "Hi.", continues: false },
    { type: "state", thinking: true },
    { type: "reply_chunk", text: "Hello there.", tone: "warm" },
    { type: "reply_chunk", text: "How are you?", tone: "happy" },
    { type: "reply", reply: "Hello there. How are you?", tone: "warm", avatar: "maya" },
    { type: "state", thinking: false },
  ];
  // The first audio may come before or after a later clause, but before the reply is told whole.
  expect(without("metric")).toEqual(expected);
  const types = microphone.types();
  expect(types.indexOf("metric")).toBeGreaterThan(types.indexOf("reply_chunk"));
  expect(types.indexOf("metric")).toBeLessThan(types.indexOf("reply"));
});

test("typed and spoken turns are one conversation, and control sockets hear of both", async () => {
  const control = await box.socket();
  box.ears.listener.turn("My name is Ada.");
  const heard = await control.next("user_message");
  expect(heard).toMatchObject({ content: "My name is Ada.", correlationId: expect.any(String) });
  await settled();
  expect(await control.next("message")).toMatchObject({ correlationId: heard.correlationId });
  box.media.stage.finishSpeaking();
  control.send({ type: "message", content: "What is my name?" });
  await control.next("message");
  expect(lastAsked()).toEqual([
    said("My name is Ada."),
    { role: "assistant", content: "Hello there. How are you?" },
    said("What is my name?"),
  ]);
  expect(microphone.types().filter((type) => type === "reply_chunk")).toHaveLength(2);
});

test("a reply begun early is the turn's when the words are the same, and nothing is told before", async () => {
  const { listener } = box.ears;
  listener.tell({ case: "speech_started", atMs: performance.now() });
  listener.tell({ case: "likely", text: "how are you" });
  await expect.poll(() => box.model.requests.length).toBe(1);
  await expect.poll(() => box.voice.spoken.length).toBe(2);
  expect(microphone.types()).toEqual(["ready"]);
  listener.tell({ case: "turn", text: "How are you?", speechEndedAtMs: performance.now() });
  await settled();
  expect(box.model.requests).toHaveLength(1);
  expect(microphone.events.find(({ type }) => type === "final")).toMatchObject({ text: "How are you?" });
  expect(microphone.events.find(({ type }) => type === "metric")).toMatchObject({ spec: true });
  expect(microphone.types().filter((type) => type === "reply")).toHaveLength(1);
});

test("a reply begun early is given up when the socket closes, and one under way is heard to its end", async () => {
  const [early, wanted] = [new HeldReply(), new HeldReply()];
  box.model.reply = () => early.stream();
  box.ears.listener.tell({ case: "likely", text: "Well" });
  await expect.poll(() => box.model.requests.length).toBe(1);
  microphone.close();
  await expect.poll(() => box.model.requests[0]?.signal.aborted).toBe(true);
  microphone = await box.microphone();
  await microphone.next("ready");
  box.model.reply = () => wanted.stream();
  box.ears.listener.turn("Well?");
  await expect.poll(() => box.model.requests.length).toBe(2);
  microphone.close();
  await microphone.closed;
  wanted.write("Still here.");
  wanted.end();
  await expect.poll(() => box.voice.spoken.map(({ text }) => text)).toEqual(["Still here."]);
});

test("the first audio is told of before the reply is, however late a stage begins", async () => {
  const { options } = box.media.stage;
  const { onEvent } = options;
  options.onEvent = (event) => {
    if (event.type === "utterance_started") setTimeout(() => onEvent(event), 50);
    else onEvent(event);
  };
  box.ears.listener.turn("Hello.");
  await settled();
  expect(microphone.types().slice(-3)).toEqual(["metric", "reply", "state"]);
});

test("a reply begun early for other words leaves no trace", async () => {
  const { listener } = box.ears;
  const [first, second] = [new HeldReply(), new HeldReply()];
  const replies = [first, second];
  box.model.reply = () => replies.shift()?.stream() ?? ["Hm."];
  listener.tell({ case: "likely", text: "How are" });
  await expect.poll(() => box.model.requests.length).toBe(1);
  listener.tell({ case: "unlikely" });
  await expect.poll(() => box.model.requests[0]?.signal.aborted).toBe(true);
  listener.tell({ case: "likely", text: "How are you" });
  await expect.poll(() => box.model.requests.length).toBe(2);
  listener.tell({ case: "turn", text: "How are you today?", speechEndedAtMs: performance.now() });
  await settled();
  expect(box.model.requests[1]?.signal.aborted).toBe(true);
  expect(lastAsked()).toEqual([said("How are you today?")]);
  expect(microphone.events.find(({ type }) => type === "metric")).toMatchObject({ spec: false });
  expect(microphone.events.find(({ type }) => type === "reply")).toMatchObject({ reply: "Hm." });
});

test("what is begun early is out of date after a typed turn, another voice and another language", async () => {
  const control = await box.socket();
  const { listener } = box.ears;
  for (const change of [
    () => control.send({ type: "message", content: "By the way." }),
    () => microphone.send({ type: "config", voice: "en-us+m1" }),
    () => box.services.slot.current?.call.setLanguage("de"),
  ]) {
    const held = new HeldReply();
    box.model.reply = () => held.stream();
    const before = box.model.requests.length;
    listener.tell({ case: "likely", text: "Well" });
    await expect.poll(() => box.model.requests.length).toBe(before + 1);
    box.model.reply = () => ["Fine."];
    change();
    await expect.poll(() => box.model.requests[before]?.signal.aborted).toBe(true);
    listener.tell({ case: "turn", text: "Well", speechEndedAtMs: performance.now() });
    await expect
      .poll(() => lastAsked()?.at(-1))
      .toEqual({ role: "user", content: expect.stringMatching(/Well$/) });
    expect(await microphone.next("metric")).toMatchObject({ spec: false });
    await settled();
    box.media.stage.finishSpeaking();
  }
});

test("who speaks over the avatar is given the floor: nothing of the old reply follows", async () => {
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  held.write("[sad] One. Two. Th");
  box.ears.listener.turn("Count.");
  await microphone.next("metric");
  await expect.poll(() => microphone.types().filter((type) => type === "reply_chunk").length).toBe(2);
  box.model.reply = () => ["Sure."];
  const before = microphone.events.length;
  box.ears.listener.tell({ case: "speech_started", atMs: performance.now() + 60_000 });
  held.write("ree. Four.");
  held.end();
  await settled();
  box.ears.listener.tell({ case: "turn", text: "Stop.", speechEndedAtMs: performance.now() });
  await settled();
  expect(microphone.events.slice(before).filter(({ type }) => type !== "metric")).toEqual([
    { type: "reply", reply: "One. Two.", tone: "sad", avatar: "maya" },
    { type: "state", thinking: false },
    { type: "state", speaking: false, bargein: true },
    { type: "final", text: "Stop.", continues: false },
    { type: "state", thinking: true },
    { type: "reply_chunk", text: "Sure.", tone: "neutral" },
    { type: "reply", reply: "Sure.", tone: "neutral", avatar: "maya" },
    { type: "state", thinking: false },
  ]);
  expect(box.media.stage.interrupts).toBeGreaterThan(0);
});

test("the microphone also takes the floor from a typed reply", async () => {
  const control = await box.socket();
  control.send({ type: "message", content: "Tell me a story." });
  await control.next("avatar_speech_started");
  box.ears.listener.tell({ case: "speech_started", atMs: performance.now() });
  await control.next("avatar_speech_ended");
  expect(await microphone.next("state")).toEqual({ type: "state", speaking: false, bargein: true });
  // Nothing is being said any more.
  box.ears.listener.tell({ case: "speech_started", atMs: performance.now() });
  await microphone.flush();
  expect(microphone.types()).toEqual(["ready", "state"]);
});

test("who goes on before the reply is heard makes one turn with what was said before, and it left no trace", async () => {
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  box.ears.listener.turn("I would like");
  await expect.poll(() => box.model.requests.length).toBe(1);
  box.model.reply = () => ["Here you are."];
  box.ears.listener.turn("a cup of tea.");
  await settled();
  await settled();
  expect(microphone.events.filter(({ type }) => type === "final")).toEqual([
    { type: "final", text: "I would like", continues: false },
    { type: "final", text: "a cup of tea.", continues: true },
  ]);
  expect(microphone.types().filter((type) => type.startsWith("reply"))).toEqual([
    "reply_error",
    "reply_chunk",
    "reply",
  ]);
  expect(microphone.events).not.toContainEqual({ type: "state", speaking: false, bargein: true });
  expect(lastAsked()).toEqual([said("I would like\na cup of tea.")]);
});

test("words of a turn that was not even under way are not lost", async () => {
  const asking = Promise.withResolvers<void>();
  let asked = 0;
  const { settings } = box.services.portal;
  box.services.portal.settings = async (account) => {
    asked++;
    await asking.promise;
    return settings.call(box.services.portal, account);
  };
  box.ears.listener.turn("One");
  await expect.poll(() => asked).toBe(1);
  box.ears.listener.turn("two");
  box.ears.listener.tell({ case: "speech_started", atMs: performance.now() });
  box.ears.listener.tell({ case: "likely", text: "three" });
  box.ears.listener.tell({ case: "turn", text: "Three.", speechEndedAtMs: performance.now() });
  asking.resolve();
  await expect.poll(() => microphone.types()).toContain("reply");
  expect(microphone.events.filter(({ type }) => type === "final")).toEqual([
    { type: "final", text: "One", continues: false },
    { type: "final", text: "two", continues: true },
    { type: "final", text: "Three.", continues: true },
  ]);
  expect(askedFor()).toEqual([[said("One\ntwo\nthree")]]);
});

test("a turn that fails, one that is refused, and one after that", async () => {
  const held = new HeldReply();
  box.model.reply = () => held.stream();
  held.fail("The model is out of order.");
  box.ears.listener.turn("Hello?");
  expect(await microphone.next("reply_error")).toEqual({
    type: "reply_error",
    error: "The model is out of order.",
  });
  box.voice.available = false;
  box.ears.listener.turn("Hello?");
  expect((await microphone.next("reply_error")).error).toMatch(/Text-to-speech is not configured/);
  box.voice.available = true;
  box.model.reply = () => ["Yes."];
  box.ears.listener.turn("Hello?");
  expect(await microphone.next("reply")).toMatchObject({ reply: "Yes." });
  expect(microphone.events.filter(({ type }) => type === "final")).toHaveLength(3);
  expect(microphone.events.filter((event) => event.type === "final" && event.continues)).toEqual([]);
});

test("a tool that runs, and one that stays quiet", async () => {
  box.model.reply = ({ messages }) =>
    messages.at(-1)?.role === "tool" ? ["Und jetzt?"] : [toolUse("set_language", { language: "de" })];
  box.ears.listener.turn("Speak German.");
  await settled();
  expect(without("metric").slice(3)).toEqual([
    { type: "state", thinking: true },
    { type: "tool", name: "set_language", label: "Change the language" },
    { type: "action", name: "set_language", label: expect.any(String), language: "de" },
    { type: "reply_chunk", text: "Und jetzt?", tone: "neutral" },
    { type: "reply", reply: "Und jetzt?", tone: "neutral", avatar: "maya" },
    { type: "state", thinking: false },
  ]);
  expect(box.ears.listener.language).toBe("de");
  const before = microphone.events.length;
  box.model.reply = () => [toolUse("skip_turn")];
  box.ears.listener.turn("Hm, one moment.");
  await settled();
  expect(microphone.events.slice(before).map(({ type }) => type)).toEqual([
    ...(microphone.events[before]?.type === "state" ? ["state" as const] : []),
    "partial",
    "final",
    "state",
    "tool",
    "action",
    "state",
  ]);
  expect(microphone.events.at(-2)).toMatchObject({ type: "action", name: "skip_turn" });
});

test("a pause: told once, deaf until it is resumed, and answered whenever", async () => {
  box.model.reply = () => ["I will wait.", toolUse("pause_conversation")];
  box.ears.listener.turn("Wait, please.");
  await settled();
  expect(microphone.events.filter(({ type }) => type === "action")).toEqual([
    { type: "action", name: "pause_conversation", label: expect.any(String), paused: true },
  ]);
  expect(box.ears.listener.muted).toBe(true);
  const before = microphone.events.length;
  box.ears.listener.turn("Talking to somebody else.");
  microphone.send(Buffer.alloc(640));
  await microphone.flush();
  expect(microphone.events).toHaveLength(before);
  expect(box.ears.listener.samples).toEqual([]);
  const resumed = { type: "action", name: "pause_conversation", label: expect.any(String), paused: false };
  for (let time = 0; time < 2; time++) {
    microphone.send({ type: "resume" });
    expect(await microphone.next("action")).toBeDefined();
  }
  await microphone.flush();
  expect(microphone.events.slice(before)).toEqual([resumed, resumed]);
  expect(box.services.slot.current?.call.paused).toBe(false);
  expect(box.ears.listener.muted).toBe(false);
  box.model.reply = () => ["Welcome back."];
  box.ears.listener.turn("I am back.");
  expect(await microphone.next("reply")).toMatchObject({ reply: "Welcome back." });
});

test("the persona ends the call: the goodbye is heard, then the session ends, once and for good", async () => {
  box.model.reply = () => ["Goodbye, then. ", toolUse("end_call")];
  box.ears.listener.turn("Bye.");
  await settled();
  expect(microphone.types().slice(4)).toContain("action");
  expect(microphone.types()).not.toContain("session_end");
  box.media.stage.finishSpeaking();
  expect((await microphone.closed).code).toBe(1000);
  expect(microphone.events.at(-1)).toEqual({ type: "session_end", reason: "ended_by_persona_request" });
  expect(microphone.types().filter((type) => type === "session_end")).toHaveLength(1);
  expect(microphone.events.find(({ type }) => type === "action")).toMatchObject({ name: "end_call" });
  expect(box.services.slot.current).toBeNull();
});

test("the voice of the turns is picked, and a notice comes and goes with the account that is spoken on", async () => {
  microphone.send({ type: "config", avatar: "theo", voice: "en-us+m3" });
  await microphone.flush();
  box.ears.listener.turn("Hello.");
  await settled();
  expect(new Set(box.voice.spoken.map(({ voice }) => voice))).toEqual(new Set(["en-us+m3"]));
  expect(microphone.events.find(({ type }) => type === "reply")).toMatchObject({ avatar: "maya" });
  microphone.send({ type: "config", voice: "no-such-voice" });
  expect(await microphone.next("error")).toEqual({
    type: "error",
    error: expect.stringContaining("no-such-voice"),
  });
  const account = box.services.slot.current?.account ?? "";
  await box.services.portal.saveSettings(account, { tts_provider: "cartesia" });
  box.ears.listener.turn("And now?");
  expect((await microphone.next("voice_notice")).notice).toMatch(/Cartesia/);
  await settled();
  expect(box.voice.spoken.at(-1)?.voice).toBe("en-us+m3");
  await box.services.portal.saveSettings(account, { tts_provider: "local" });
  microphone.send({ type: "config", voice: "" });
  await microphone.flush();
  box.ears.listener.turn("And now?");
  expect((await microphone.next("voice_notice")).notice).toBe("");
  await settled();
  expect(box.voice.spoken.at(-1)?.voice).toBe("en-us+f3");
});
