import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clientMessageSchemas, closeCode } from "../../contract/control-socket.ts";
import { limits } from "../../contract/limits.ts";
import { ControlMachine, type ControlInput, type ControlOutput } from "./control-machine.ts";

const ready = { type: "session_ready", sessionId: null, avatar: "maya", tones: ["neutral"] } as const;

function opened(): ControlMachine {
  const machine = new ControlMachine(0);
  machine.handle({ case: "opened", ready: { ...ready, tones: ["neutral"] } });
  return machine;
}

const say = (machine: ControlMachine, message: object, nowMs = 0) =>
  machine.handle({ case: "text", data: JSON.stringify(message), nowMs });

test("the credential's age is reported once a lapse", () => {
  const machine = opened();
  expect(machine.handle({ case: "credential_lapsed" })).toHaveLength(1);
  expect(machine.state).toBe("lapsed");
  expect(machine.handle({ case: "credential_lapsed" })).toEqual([]);
  expect(say(machine, { type: "message", content: "Still here" })).toMatchObject([{ case: "message" }]);
  machine.handle({ case: "verified", live: false });
  expect(machine.state).toBe("lapsed");
  machine.handle({ case: "verified", live: true });
  expect(machine.state).toBe("live");
  expect(machine.handle({ case: "credential_lapsed" })).toHaveLength(1);
});

test("a steady stream at the limit goes on for ever, a faster one does not", () => {
  const steady = opened();
  for (let index = 0; index < 1_000; index++) {
    const nowMs = (index * 1_000) / limits.controlMessagesPerSecond;
    expect(say(steady, { type: "heartbeat" }, nowMs)).toEqual([]);
  }
  expect(steady.state).toBe("live");
  const flood = opened();
  for (let index = 0; index < 3 * limits.controlMessagesPerSecond; index++) say(flood, { type: "heartbeat" });
  expect(flood.state).toBe("closed");
});

test("talkstreams are kept apart, bounded, and cut by an interrupt", () => {
  const machine = opened();
  const piece = (correlationId: string, content: string, flags: object = {}) =>
    say(machine, {
      type: "talkstream",
      correlationId,
      content,
      startOfSpeech: false,
      endOfSpeech: false,
      ...flags,
    });
  piece("a", "One ", { startOfSpeech: true });
  piece("b", "Two ", { startOfSpeech: true });
  piece("a", "more");
  expect(piece("b", "too", { endOfSpeech: true })).toMatchObject([
    { case: "talk", talk: { content: "Two too" } },
  ]);
  expect(say(machine, { type: "interrupt" })).toEqual([{ case: "interrupt" }]);
  expect(piece("a", "late")).toEqual([]);
  expect(piece("a", "end", { endOfSpeech: true })).toEqual([]);
  expect(piece("a", "unknown")).toMatchObject([{ case: "send", event: { type: "error", fatal: false } }]);
  piece("long", "x".repeat(limits.messageChars), { startOfSpeech: true });
  expect(piece("long", "x")).toMatchObject([{ event: { error: expect.stringContaining("longer") } }]);
});

const messages = fc.oneof(
  fc.constantFrom(...Object.keys(clientMessageSchemas)).map((type) => ({ type, content: "x", token: "t" })),
  fc.record({ type: fc.constantFrom("message", "talk"), content: fc.string() }),
  fc.constant({ type: "interrupt" }),
  fc.constant({ type: "heartbeat" }),
  fc.dictionary(fc.string(), fc.jsonValue()),
);

const inputs: fc.Arbitrary<ControlInput> = fc.oneof(
  {
    weight: 8,
    arbitrary: messages.map((message) => ({
      case: "text" as const,
      data: JSON.stringify(message),
      nowMs: 0,
    })),
  },
  fc.string().map((data) => ({ case: "text" as const, data, nowMs: 0 })),
  fc.constant({ case: "event" as const, event: { type: "interrupted" as const } }),
  fc.boolean().map((live) => ({ case: "verified" as const, live })),
  fc.constantFrom<ControlInput>(
    { case: "opened", ready: { ...ready, tones: ["neutral"] } },
    { case: "binary" },
    { case: "credential_lapsed" },
    { case: "credential_revoked" },
    { case: "session_expired", reason: "idle", seconds: 1 },
    { case: "evicted", error: "gone" },
    { case: "backlog" },
    { case: "shutdown" },
    { case: "disconnected" },
  ),
);

test("whatever comes in: session_ready first and once, one close at most, nothing after it, and its frame before it", () => {
  fc.assert(
    fc.property(fc.array(inputs, { maxLength: 40 }), (sequence) => {
      const machine = new ControlMachine(0);
      const outputs: ControlOutput[] = sequence.flatMap((input) => machine.handle(input));
      const sent = outputs.flatMap((output) => (output.case === "send" ? [output.event] : []));
      if (outputs.length > 0)
        expect(outputs[0]).toMatchObject({ case: "send", event: { type: "session_ready" } });
      expect(sent.filter(({ type }) => type === "session_ready").length).toBeLessThanOrEqual(1);
      const closes = outputs.filter((output) => output.case === "close");
      expect(closes.length).toBeLessThanOrEqual(1);
      const [close] = closes;
      if (!close) return;
      expect(outputs.at(-1)).toBe(close);
      const last = sent.at(-1);
      if (close.code === closeCode.idle)
        expect(last).toMatchObject({ type: "session_expired", code: close.code });
      else if (!close.reason.includes("slowly")) expect(last).toMatchObject({ type: "error", fatal: true });
      expect(Buffer.byteLength(close.reason)).toBeLessThanOrEqual(123);
    }),
    { numRuns: 1_000 },
  );
});

test("every auth message is answered, and credentials are not looked up without end", () => {
  const machine = opened();
  for (let count = 0; count < 16; count++)
    expect(say(machine, { type: "auth", token: "t" })).toEqual([{ case: "verify", token: "t" }]);
  for (const live of [true, false])
    expect(machine.handle({ case: "verified", live })).toEqual([
      { case: "send", event: { type: "auth_state", live } },
    ]);
  for (let count = 0; count < 2; count++)
    expect(say(machine, { type: "auth", token: "t" })).toMatchObject([{ case: "verify" }]);
  expect(say(machine, { type: "auth", token: "t" })).toMatchObject([
    { case: "send", event: { type: "error", fatal: true } },
    { case: "close", code: closeCode.policy },
  ]);
  expect(machine.handle({ case: "verified", live: true })).toEqual([]);
});

test("whose interrupt it was: another's ends what is being fed, one's own spares what came after it", () => {
  const piece = (correlationId: string, flags: object) => ({
    type: "talkstream",
    correlationId,
    content: `${correlationId} `,
    startOfSpeech: false,
    endOfSpeech: false,
    ...flags,
  });
  const machine = opened();
  const acknowledge = () => machine.handle({ case: "event", event: { type: "interrupted" } });
  say(machine, piece("before", { startOfSpeech: true }));
  expect(say(machine, { type: "interrupt" })).toEqual([{ case: "interrupt" }]);
  say(machine, piece("after", { startOfSpeech: true }));
  expect(acknowledge()).toHaveLength(1);
  expect(say(machine, piece("before", { endOfSpeech: true }))).toEqual([]);
  expect(say(machine, piece("after", { endOfSpeech: true }))).toMatchObject([
    { case: "talk", talk: { content: "after after " } },
  ]);
  say(machine, piece("cut", { startOfSpeech: true }));
  expect(acknowledge()).toHaveLength(1);
  expect(say(machine, piece("cut", { endOfSpeech: true }))).toEqual([]);
  expect(say(machine, piece("cut", { startOfSpeech: true, endOfSpeech: true }))).toMatchObject([
    { case: "talk" },
  ]);
});

test("a stream is spoken as its pieces say, and a broken one is answered once", () => {
  const machine = opened();
  const stream = (fields: object) =>
    say(machine, { type: "talkstream", content: "a", startOfSpeech: false, endOfSpeech: false, ...fields });
  stream({ startOfSpeech: true, voice: "en-us", tone: "warm" });
  stream({ tone: "sad" });
  expect(stream({ endOfSpeech: true })).toEqual([
    { case: "talk", talk: { content: "aaa", voice: "en-us", tone: "sad", correlationId: undefined } },
  ]);
  const many = Array.from({ length: 17 }, (_, index) =>
    stream({ correlationId: `s${index}`, startOfSpeech: true }),
  );
  expect(many.flat()).toMatchObject([{ event: { error: expect.stringContaining("16 streams") } }]);
  expect(stream({ correlationId: "s16" })).toEqual([]);
  expect(stream({ correlationId: "s3", endOfSpeech: true })).toMatchObject([{ case: "talk" }]);
  expect(stream({ correlationId: "lost" })).toMatchObject([{ event: { type: "error", fatal: false } }]);
  expect(stream({ correlationId: "lost" })).toEqual([]);
  expect(stream({ correlationId: "lost", endOfSpeech: true })).toEqual([]);
});

test("characters cut in two come out whole, those that two pieces share come out right", () => {
  const machine = opened();
  const [high, low] = ["\ud83c", "\udf24"];
  expect(say(machine, { type: "message", content: `a${high}` })).toMatchObject([
    { message: { content: "a\ufffd" } },
  ]);
  expect(say(machine, { type: "talk", content: `${low}b` })).toMatchObject([
    { talk: { content: "\ufffdb" } },
  ]);
  say(machine, { type: "talkstream", content: high, startOfSpeech: true, endOfSpeech: false });
  expect(
    say(machine, { type: "talkstream", content: low, startOfSpeech: false, endOfSpeech: true }),
  ).toMatchObject([{ talk: { content: "🌤" } }]);
});

test.each([
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
])("a type named %s is unknown like any other", (type) => {
  expect(say(opened(), { type })).toEqual([]);
  expect(
    opened().handle({ case: "text", nowMs: 0, data: `{"type":"heartbeat","${type}":{}}` }),
  ).toMatchObject([{ event: { type: "error", fatal: false } }]);
});

test("depth, huge numbers and doubled members are taken as JSON has them", () => {
  const hear = (data: string) => opened().handle({ case: "text", data, nowMs: 0 });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(hear(deep)).toMatchObject([{ event: { type: "error" } }]);
  expect(hear(`{"type":"heartbeat","x":${deep}}`)).toMatchObject([{ event: { type: "error" } }]);
  expect(hear(`{"type":"tool_result","id":"t","result":${deep}}`)).toMatchObject([
    { case: "tool_result", id: "t" },
  ]);
  expect(hear('{"type":"talk","content":1e400}')).toMatchObject([{ event: { type: "error" } }]);
  expect(hear('{"type":1e400}')).toMatchObject([{ event: { type: "error" } }]);
  expect(hear('{"type":"talk","type":"interrupt"}')).toEqual([{ case: "interrupt" }]);
  expect(hear('{"type":"talk","content":"a","content":"b"}')).toMatchObject([{ talk: { content: "b" } }]);
});

/** What feeding is, put as simply as it can be: the words of every stream, and the streams nobody wants any more. */
class FedWords {
  readonly #words = new Map<string, string>();
  readonly #unwanted = new Set<string>();

  /** What is to be spoken; null when that is nothing yet, and false when it is refused. */
  feed({
    id,
    words,
    starts,
    ends,
  }: {
    id: string;
    words: string;
    starts: boolean;
    ends: boolean;
  }): string | null | false {
    if (starts) {
      this.#unwanted.delete(id);
      this.#words.set(id, "");
    }
    if (this.#unwanted.has(id)) {
      if (ends) this.#unwanted.delete(id);
      return null;
    }
    const before = this.#words.get(id);
    if (before === undefined) {
      if (!ends) this.#unwanted.add(id);
      return false;
    }
    this.#words.set(id, before + words);
    if (!ends) return null;
    this.#words.delete(id);
    return (before + words).trim() === "" ? false : before + words;
  }

  interrupt(): void {
    for (const id of this.#words.keys()) this.#unwanted.add(id);
    this.#words.clear();
  }
}

test("streams fed in any order, ended, begun anew and interrupted are spoken as a plain account of them says", () => {
  const piece = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    words: fc.constantFrom("one ", "two ", " ", ""),
    starts: fc.boolean(),
    ends: fc.boolean(),
  });
  const moves = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: piece },
      fc.constant("interrupt" as const),
      fc.constant("another's" as const),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(moves, (sequence) => {
      const machine = opened();
      const plain = new FedWords();
      sequence.forEach((move, index) => {
        const nowMs = index * 20;
        if (move === "interrupt") {
          plain.interrupt();
          expect(say(machine, { type: "interrupt" }, nowMs)).toEqual([{ case: "interrupt" }]);
          machine.handle({ case: "event", event: { type: "interrupted" } });
          return;
        }
        if (move === "another's") {
          plain.interrupt();
          machine.handle({ case: "event", event: { type: "interrupted" } });
          return;
        }
        const { id, words, starts, ends } = move;
        const outputs = say(
          machine,
          { type: "talkstream", correlationId: id, content: words, startOfSpeech: starts, endOfSpeech: ends },
          nowMs,
        );
        const spoken = plain.feed(move);
        if (spoken === null) expect(outputs).toEqual([]);
        else if (spoken === false)
          expect(outputs).toMatchObject([{ event: { type: "error", fatal: false } }]);
        else expect(outputs).toMatchObject([{ case: "talk", talk: { content: spoken, correlationId: id } }]);
      });
    }),
    { numRuns: 500 },
  );
});

test("however credentials age and are renewed: one report a lapse, one answer an auth message", () => {
  const moves = fc.array(fc.constantFrom("lapse", "auth", "good", "bad"), { maxLength: 40 });
  fc.assert(
    fc.property(moves, (sequence) => {
      const machine = opened();
      let lapsed = false;
      let asked = 0;
      sequence.forEach((move, index) => {
        if (move === "auth") {
          if (asked === 16) return;
          asked++;
          expect(say(machine, { type: "auth", token: "t" }, index * 20)).toHaveLength(1);
        } else if (move === "lapse") {
          const report = { case: "send", event: { type: "auth_required" } };
          expect(machine.handle({ case: "credential_lapsed" })).toMatchObject(lapsed ? [] : [report]);
          lapsed = true;
        } else if (asked > 0) {
          asked--;
          const live = move === "good";
          expect(machine.handle({ case: "verified", live })).toEqual([
            { case: "send", event: { type: "auth_state", live } },
          ]);
          if (live) lapsed = false;
        }
        expect(machine.state).toBe(lapsed ? "lapsed" : "live");
      });
    }),
    { numRuns: 300 },
  );
});
