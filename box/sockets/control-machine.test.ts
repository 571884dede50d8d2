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
