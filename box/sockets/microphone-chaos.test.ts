// A whole box with two callers, and whatever may happen to their microphones in any order.

import { setImmediate as later, setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { microphoneCloseCode as code, type MicrophoneEvent } from "../../contract/microphone-socket.ts";
import { ModelError, type ModelPiece, type ModelRequest } from "../chat/models/model.ts";
import type { FakeListener } from "../testing/fake-ears.ts";
import { MicrophoneClient } from "../testing/microphone-client.ts";
import { checkEvents } from "../testing/microphone-rules.ts";
import { Random } from "../testing/random.ts";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";

let box: TestBox;

beforeAll(async () => {
  box = await startTestBox();
});
afterAll(() => box.close());

const people = [
  { name: "ada", key: staticKey },
  { name: "bob", key: otherKey },
] as const;
type Person = (typeof people)[number];

const manners = ["answer", "two clauses", "slow", "fail", "quiet", "pause", "german", "hang up"] as const;
const listenerSteps = [
  "start",
  "partial",
  "likely",
  "unlikely",
  "turn",
  "whole",
  "nothing",
  "endpoint",
] as const;
const clientSteps = [
  "mute",
  "unmute",
  "resume",
  "config",
  "bad config",
  "auth",
  "nonsense",
  "sound",
] as const;
const sessionSteps = ["interrupt", "typed", "finish", "pause", "language"] as const;
const rareSteps = ["connect", "disconnect", "open", "open", "drop", "close", "bye"] as const;

const step = fc.record({
  what: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...listenerSteps) },
    { weight: 3, arbitrary: fc.constantFrom(...clientSteps) },
    { weight: 2, arbitrary: fc.constantFrom(...sessionSteps) },
    { weight: 1, arbitrary: fc.constantFrom(...rareSteps) },
  ),
  who: fc.constantFrom(...people),
  manner: fc.constantFrom(...manners),
  rest: fc.constantFrom("none", "none", "tick", "flush", "wait"),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Spoken {
  client: MicrophoneClient;
  who: Person;
  over: { code: number; reason: string } | null;
}

/** One run of steps, and what became of every socket in it. */
class Chaos {
  readonly sockets: Spoken[] = [];
  manner: (typeof manners)[number] = "answer";
  #count = 0;

  /** Repeats the last words it was sent, in the manner that was current when it was asked. */
  async *reply({ messages, signal }: ModelRequest): AsyncGenerator<ModelPiece> {
    const last = messages.at(-1);
    const { manner } = this;
    if (manner === "slow") await sleep(3, undefined, { signal }).catch(() => undefined);
    if (manner === "fail") throw new ModelError("The model broke.");
    const text = last?.role === "user" ? (last.content.split("\n").at(-1) ?? "") : "Ja";
    const use = (name: string, given = {}): ModelPiece => ({
      case: "tool_use",
      use: { id: name, name, arguments: given },
    });
    if (manner === "quiet") yield use("skip_turn");
    else yield { case: "text", text: manner === "two clauses" ? `${text}. ${text}.` : `${text}.` };
    if (manner === "pause") yield use("pause_conversation");
    if (manner === "german" && last?.role === "user") yield use("set_language", { language: "de" });
    if (manner === "hang up") yield use("end_call");
  }

  async take({ what, who, manner, rest }: Step): Promise<void> {
    this.manner = manner;
    const listener = box.ears.listeners.at(-1);
    if (listener && listenerSteps.some((known) => known === what)) this.#listener(listener, what);
    else await this.#others(what, who);
    if (rest === "tick") await later();
    if (rest === "flush") await Promise.all(this.sockets.map(({ client }) => client.flush()));
    if (rest === "wait") await sleep(2);
  }

  #listener(listener: FakeListener, what: Step["what"]): void {
    const account = box.services.slot.current?.account;
    const name = account === this.accountOf(people[0]) ? people[0].name : people[1].name;
    const label = (count: number) => `${name} ${String(count).padStart(3, "0")}`;
    const next = label(this.#count + 1);
    const atMs = performance.now();
    const turn = () => listener.tell({ case: "turn", text: label(++this.#count), speechEndedAtMs: atMs });
    if (what === "start" || what === "whole") listener.tell({ case: "speech_started", atMs });
    if (what === "partial" || what === "whole") listener.tell({ case: "partial", text: next });
    if (what === "likely" || what === "whole") listener.tell({ case: "likely", text: next.toUpperCase() });
    if (what === "unlikely") listener.tell({ case: "unlikely" });
    if (what === "endpoint") listener.tell({ case: "endpoint", eot: 0.5, waitMs: 600, reason: "pause" });
    if (what === "turn" || what === "whole") turn();
    if (what === "nothing") listener.tell({ case: "nothing" });
  }

  async #others(what: Step["what"], who: Person): Promise<void> {
    const { slot, turns } = box.services;
    const client = this.sockets.findLast((socket) => socket.who === who && !socket.over)?.client;
    const account = this.accountOf(who);
    const typed = `${who.name} typed ${this.#count}`;
    const messages: Partial<Record<Step["what"], object | Buffer>> = {
      mute: { type: "mute", muted: true },
      unmute: { type: "mute", muted: false },
      resume: { type: "resume" },
      config: { type: "config", voice: "en-us+m1" },
      "bad config": { type: "config", voice: "no-such-voice" },
      auth: { type: "auth", token: who.key },
      nonsense: { type: "nonsense" },
      sound: Buffer.alloc(641),
      bye: { type: "bye" },
    };
    const message = messages[what];
    if (message) client?.send(message);
    else if (what === "interrupt") void turns.interrupt(account);
    else if (what === "finish") box.media.stages.at(-1)?.finishSpeaking();
    else if (what === "pause") slot.of(account)?.call.setPaused(true);
    else if (what === "language") slot.of(account)?.call.setLanguage("fr");
    else if (what === "connect") await box.connect({ key: who.key });
    else if (what === "disconnect") await slot.of(account)?.end("disconnected");
    else if (what === "open") await this.open(who);
    else if (what === "drop") client?.drop();
    else if (what === "close") client?.close();
    else if (what === "typed")
      void box.ask("/api/chat", { key: who.key, body: { message: typed } }).catch(() => undefined);
  }

  accountOf({ key }: Person): string {
    const found = accounts.get(key);
    if (!found) throw new Error("Nobody has this key.");
    return found;
  }

  async open(who: Person): Promise<void> {
    const client = await box.microphone({ key: who.key });
    const socket: Spoken = { client, who, over: null };
    void client.closed.then((over) => (socket.over = over));
    this.sockets.push(socket);
  }
}

const accounts = new Map<string, string>();

function checkSocket({ client, who, over }: Spoken): void {
  const { events } = client;
  expect(client.nonsense).toEqual([]);
  checkEvents(events, over !== null);
  // Nothing of one caller's is told to another, and nothing of an older turn once there is a newer one.
  const other = people.find((person) => person !== who)?.name ?? "";
  expect(JSON.stringify(events).toLowerCase()).not.toContain(other);
  let latest = "";
  for (const event of events) {
    if (event.type === "final") latest = event.text.toLowerCase();
    if (event.type === "reply") expect(event.reply.toLowerCase()).toContain(latest);
    if (event.type === "reply_chunk" && event.text !== "Ja." && !event.text.match(/moment|goodbye/i))
      expect(event.text.toLowerCase()).toContain(latest);
  }
  const last = events.at(-1);
  if (!over || over.code === 1006 || over.code === 1005) return;
  if (over.code === code.normal) return;
  expect(Object.values(code)).toContain(over.code);
  expect(last).toEqual({
    type: "error",
    error: over.reason,
    fatal: true,
    code: over.code,
  } satisfies MicrophoneEvent);
}

test("whatever happens, every socket's events obey, and nothing of one caller reaches another", async () => {
  for (const { key } of people) accounts.set(key, (await box.services.access.identify(key))?.account ?? "");
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const chaos = new Chaos();
      box.model.reply = (request) => chaos.reply(request);
      box.media.held = steps.length % 2 === 0;
      await box.connect({ key: people[0].key });
      await chaos.open(people[0]);
      for (const next of steps) await chaos.take(next);

      // Everything under way comes to its end.
      const open = () => chaos.sockets.filter(({ over }) => !over);
      const thinking = ({ client }: Spoken) =>
        client.events.findLast((event) => event.type === "state" && "thinking" in event);
      await expect
        .poll(async () => {
          await Promise.all(open().map(({ client }) => client.flush()));
          return open().some((socket) => {
            const state = thinking(socket);
            return state?.type === "state" && "thinking" in state && state.thinking;
          });
        })
        .toBe(false);
      for (const socket of chaos.sockets) checkSocket(socket);
      for (const { client } of chaos.sockets) for (const type of client.types()) seen.add(type);
      for (const { client } of chaos.sockets) client.drop();
      await box.services.slot.end("disconnected");
      await expect.poll(() => box.services.microphones.size).toBe(0);
      expect(box.services.microphones.held).toBe(false);
      expect(box.ears.listeners.splice(0).every(({ closed }) => closed)).toBe(true);
    }),
    { numRuns: 150, endOnFailure: true },
  );
  // A run that never got anywhere shows nothing.
  for (const type of [
    "ready",
    "partial",
    "endpoint",
    "final",
    "state",
    "reply_chunk",
    "reply",
    "reply_error",
    "action",
    "metric",
    "tool",
    "caption_clear",
    "session_end",
    "auth_state",
    "error",
  ])
    expect(seen, type).toContain(type);
  expect(box.logged.filter((line) => line.level === 50)).toEqual([]);
});

test("ten thousand frames of anything, through real sockets", async () => {
  const seed = fc.sample(fc.nat(), 1)[0] ?? 0;
  const random = new Random(seed);
  const seeds = [
    '{"type":"mute","muted":true}',
    '{"type":"config","voice":"x"}',
    '{"type":"resume"}',
    '{"type":"auth","token":"x"}',
    "[]",
    "\u0000",
  ].map((text) => Buffer.from(text));
  await box.connect();
  const closes = new Map<number, number>();
  let sent = 0;
  for (let socket = 0; sent < 12_000; socket++) {
    const client = await box.microphone();
    await client.next("ready");
    for (let frame = 0; frame < 60; frame++, sent++) {
      const bytes = random.chance(0.5) ? Buffer.from(random.pick(seeds)) : random.bytes(random.below(300));
      if (bytes.length > 0 && random.chance(0.7)) bytes[random.below(bytes.length)] = random.below(256);
      client.send(random.chance(0.4) ? bytes.toString() : bytes);
    }
    const end = random.pick(["drop", "close", "flush", "flush", "flush"] as const);
    await client[end]();
    client.drop();
    const close = await client.closed;
    closes.set(close.code, (closes.get(close.code) ?? 0) + 1);
    expect(client.nonsense, `seed ${seed}`).toEqual([]);
    for (const { type } of client.events)
      expect(["ready", "error", "action", "auth_state"], `seed ${seed}`).toContain(type);
    await expect.poll(() => box.services.microphones.held).toBe(false);
  }
  expect(closes.get(code.policy)).toBeGreaterThan(10);
  await expect.poll(() => box.services.microphones.size).toBe(0);
  expect(box.ears.listeners.every(({ closed }) => closed)).toBe(true);
  expect(box.model.requests.filter(({ messages }) => messages.length === 0)).toEqual([]);
  const after = await box.microphone();
  expect((await after.next("ready")).type).toBe("ready");
});
