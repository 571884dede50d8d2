import * as fc from "fast-check";
import { expect, test } from "vitest";
import { microphoneCloseCode, type ConversationMode } from "../../contract/microphone-socket.ts";
import type { ListenerEvent } from "../hearing/listener.ts";
import { checkEvents } from "../testing/microphone-rules.ts";
import { Random } from "../testing/random.ts";
import { MicrophoneMachine } from "./microphone-machine.ts";
import { recognitionFailed, refusals } from "./microphone-refusals.ts";
import type { MicrophoneInput, MicrophoneOutput } from "./microphone-steps.ts";
import type { TurnReport } from "./spoken-turn.ts";

const opened = (mode: ConversationMode | null = null): MicrophoneInput => ({
  case: "opened",
  opened: {
    ready: { type: "ready", sample_rate: 16_000, voice_origin: "box", ...(mode ? { mode } : {}) },
    avatar: "maya",
    paused: false,
    language: "en",
  },
});

function live(): MicrophoneMachine {
  const machine = new MicrophoneMachine({ mode: null, nowMs: 0 });
  machine.handle(opened());
  return machine;
}

const sent = (outputs: MicrophoneOutput[]) =>
  outputs.flatMap((output) => (output.case === "send" ? [output.event] : []));

const times = fc.integer({ min: 0, max: 5_000 });
const words = fc.constantFrom("Hello.", "hello", "…", "", "And then?");
const listenerEvents: fc.Arbitrary<ListenerEvent> = fc.oneof(
  times.map((atMs) => ({ case: "speech_started" as const, atMs })),
  words.map((text) => ({ case: "partial" as const, text })),
  fc.record({
    case: fc.constant("endpoint" as const),
    eot: fc.double({ min: -1, max: 2, noNaN: true }),
    waitMs: fc.double({ min: 0, max: 3_000, noNaN: true }),
    reason: words,
  }),
  words.map((text) => ({ case: "likely" as const, text })),
  fc.constant({ case: "unlikely" as const }),
  fc.record({ case: fc.constant("turn" as const), text: words, speechEndedAtMs: times }),
  fc.constant({ case: "nothing" as const }),
);
const turnNumber = fc.integer({ min: 1, max: 4 });
const reports: fc.Arbitrary<TurnReport> = fc.oneof(
  turnNumber.map((number) => ({
    turn: number,
    case: "clause" as const,
    text: "Yes.",
    tone: "warm" as const,
  })),
  turnNumber.map((number) => ({ turn: number, case: "tool" as const, name: "look", label: "Look" })),
  fc.record({
    turn: turnNumber,
    case: fc.constant("action" as const),
    action: fc.constantFrom(
      { name: "skip_turn" as const, label: "Quiet" },
      { name: "end_call" as const, label: "End" },
      { name: "pause_conversation" as const, label: "Pause", paused: true },
      { name: "set_language" as const, label: "Language", language: "de" as const },
    ),
  }),
  fc.record({ turn: turnNumber, case: fc.constant("first_audio" as const), atMs: times, spec: fc.boolean() }),
  turnNumber.map((number) => ({
    turn: number,
    case: "replied" as const,
    reply: "Yes.",
    tone: "warm" as const,
  })),
  turnNumber.map((number) => ({ turn: number, case: "failed" as const, error: "It broke." })),
  turnNumber.map((number) => ({ turn: number, case: "silent" as const })),
);
const messages = fc.oneof(
  fc.constantFrom(
    { type: "mute", muted: true },
    { type: "mute", muted: false },
    { type: "resume" },
    { type: "auth", token: "t" },
    { type: "config", avatar: "theo", voice: "en-us+m1" },
    { type: "dance" },
    { type: "config", voice: 7 },
  ),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const mild: fc.Arbitrary<MicrophoneInput> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ case: fc.constant("heard" as const), event: listenerEvents, busy: fc.boolean() }),
  },
  { weight: 8, arbitrary: reports.map((what) => ({ case: "turn" as const, report: what })) },
  {
    weight: 3,
    arbitrary: messages.map((message) => ({
      case: "text" as const,
      data: JSON.stringify(message),
      nowMs: 0,
    })),
  },
  fc.uint8Array({ maxLength: 9 }).map((bytes) => ({ case: "audio" as const, bytes, nowMs: 0 })),
  fc.boolean().map((speaking) => ({ case: "speaking" as const, speaking })),
  fc.constantFrom("", "The box speaks.").map((notice) => ({ case: "notice" as const, notice })),
  fc.boolean().map((paused) => ({ case: "call" as const, change: { case: "paused" as const, paused } })),
  fc.boolean().map((isLive) => ({ case: "verified" as const, live: isLive })),
  fc.constantFrom<MicrophoneInput>(
    opened(),
    { case: "call", change: { case: "language", language: "ja" } },
    { case: "credential_lapsed" },
    { case: "complaint", error: "voice: unknown" },
    { case: "disturbed" },
  ),
);
const final: fc.Arbitrary<MicrophoneInput> = fc.oneof(
  fc
    .constantFrom(...Object.values(refusals).filter((refusal) => refusal !== refusals.backlog))
    .map((refusal) => ({ case: "refused" as const, refusal })),
  fc.string().map((message) => ({ case: "refused" as const, refusal: recognitionFailed(message) })),
  fc.constantFrom<MicrophoneInput>(
    { case: "heard", event: { case: "failed", message: "It stopped." }, busy: false },
    { case: "text", data: '{"type":"bye"}', nowMs: 0 },
    { case: "farewell" },
    { case: "session_ended", reason: "Over." },
    { case: "backlog" },
    { case: "disconnected" },
  ),
);

test("whatever comes in, the events obey", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(null, "openai_realtime" as const),
      fc.array(mild, { maxLength: 60 }),
      fc.option(final),
      fc.array(mild, { maxLength: 5 }),
      (mode, before, end, after) => {
        const machine = new MicrophoneMachine({ mode, nowMs: 0 });
        const outputs = [...before, ...(end ? [end] : []), ...(end ? after : [])].flatMap((input) =>
          machine.handle(input),
        );
        const events = sent(outputs);
        checkEvents(events, machine.state === "closed");
        if (mode)
          for (const event of events) {
            expect(["partial", "caption_clear"]).not.toContain(event.type);
            if (event.type === "action") expect(["skip_turn", "end_call"]).toContain(event.name);
          }
        const taken = outputs.flatMap((output) => (output.case === "take" ? [output.turn] : []));
        expect(taken).toEqual(taken.map((_, index) => index + 1));
        const closes = outputs.filter((output) => output.case === "close");
        expect(closes.length).toBeLessThanOrEqual(1);
        const [close] = closes;
        if (!close) return;
        expect(machine.state).toBe("closed");
        expect(outputs.at(-1)).toBe(close);
        expect(Buffer.byteLength(close.reason)).toBeLessThanOrEqual(123);
        const last = events.at(-1);
        if (close.code !== microphoneCloseCode.normal && close.reason !== refusals.backlog.error)
          expect(last).toMatchObject({ type: "error", fatal: true, code: close.code, error: close.reason });
        else if (last?.type === "error") expect(last.fatal ?? false).toBe(false);
      },
    ),
    { numRuns: 3_000 },
  );
});

test("a hundred thousand frames of anything", () => {
  const seeds = [
    '{"type":"mute","muted":true}',
    '{"type":"config","voice":"x"}',
    '{"type":"resume"}',
    ...fc.sample(fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.json()), 500),
  ].map((text) => Buffer.from(text));
  const seed = fc.sample(fc.nat(), 1)[0] ?? 0;
  const random = new Random(seed);
  const counts = { answers: 0, sockets: 0 };
  let [machine, nowMs] = [live(), 0];
  for (let index = 0; index < 100_000; index++) {
    nowMs += 50;
    const frame = Buffer.from(random.pick(seeds));
    for (let changes = random.below(3); changes > 0 && frame.length > 0; changes--)
      frame[random.below(frame.length)] = random.below(256);
    const outputs = machine.handle(
      random.chance(0.5)
        ? { case: "text", data: frame.toString(), nowMs }
        : { case: "audio", bytes: frame, nowMs },
    );
    for (const event of sent(outputs)) {
      if (!["error", "caption_clear", "action"].includes(event.type))
        throw new Error(`Seed ${seed}, frame ${index}: ${event.type}`);
      counts.answers++;
    }
    if (machine.state !== "closed") continue;
    expect(outputs.at(-1)).toMatchObject({ case: "close", code: microphoneCloseCode.policy });
    [machine, nowMs] = [live(), 0];
    counts.sockets++;
  }
  expect(counts.sockets).toBeGreaterThan(100);
  expect(counts.answers).toBeGreaterThanOrEqual(counts.sockets * 6);
});
