import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  microphoneCloseCode,
  microphoneLimits,
  type ConversationMode,
  type MicrophoneEvent,
} from "../../contract/microphone-socket.ts";
import type { ListenerEvent } from "../hearing/listener.ts";
import { MicrophoneMachine } from "./microphone-machine.ts";
import { closeSentence, refusals } from "./microphone-refusals.ts";
import type { MicrophoneInput, MicrophoneOutput } from "./microphone-steps.ts";
import { spokenWords } from "./microphone-turns.ts";
import type { TurnReport } from "./spoken-turn.ts";

const opened = (mode: ConversationMode | null = null, paused = false): MicrophoneInput => ({
  case: "opened",
  opened: {
    ready: { type: "ready", sample_rate: 16_000, voice_origin: "box", ...(mode ? { mode } : {}) },
    avatar: "maya",
    paused,
    language: "en",
  },
});

function live(mode: ConversationMode | null = null): MicrophoneMachine {
  const machine = new MicrophoneMachine({ mode, nowMs: 0 });
  machine.handle(opened(mode));
  return machine;
}

const say = (machine: MicrophoneMachine, message: object) =>
  machine.handle({ case: "text", data: JSON.stringify(message), nowMs: 0 });
const hear = (machine: MicrophoneMachine, event: ListenerEvent, busy = false) =>
  machine.handle({ case: "heard", event, busy });
const turn = (machine: MicrophoneMachine, text: string, speechEndedAtMs = 0, busy = false) =>
  hear(machine, { case: "turn", text, speechEndedAtMs }, busy);
const report = (machine: MicrophoneMachine, what: TurnReport) =>
  machine.handle({ case: "turn", report: what });
const sent = (outputs: MicrophoneOutput[]) =>
  outputs.flatMap((output) => (output.case === "send" ? [output.event] : []));

test("what happens before `ready` is told after it", () => {
  const machine = new MicrophoneMachine({ mode: null, nowMs: 0 });
  expect(say(machine, { type: "mute", muted: true })).toEqual([]);
  expect(machine.handle({ case: "verified", live: true })).toEqual([]);
  expect(machine.handle({ case: "text", data: "[", nowMs: 0 })).toEqual([]);
  expect(say(machine, { type: "resume" })).toEqual([{ case: "resume" }]);
  expect(machine.handle({ case: "audio", bytes: new Uint8Array(320), nowMs: 0 })).toEqual([]);
  const outputs = machine.handle(opened());
  expect(sent(outputs).map(({ type }) => type)).toEqual(["ready", "auth_state", "error", "action"]);
  expect(outputs).toContainEqual({ case: "deafen", deaf: true });
});

test("samples are put together whatever the frames are", () => {
  const machine = live();
  const frames = [[1], [2, 3], [], [0xff, 0x00, 0x80], [7]];
  const samples = frames.flatMap((bytes) =>
    machine
      .handle({ case: "audio", bytes: Uint8Array.from(bytes), nowMs: 0 })
      .flatMap((output) => (output.case === "hear" ? [...output.samples] : [])),
  );
  expect(samples).toEqual([0x0201, -253, -32_768]);
});

test("any cut of any sound gives the same samples", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.array(fc.nat(64)), (bytes, cuts) => {
      const machine = live();
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const heard = at
        .slice(1)
        .flatMap((end, index) =>
          machine
            .handle({ case: "audio", bytes: bytes.subarray(at[index], end), nowMs: 0 })
            .flatMap((output) => (output.case === "hear" ? [...output.samples] : [])),
        );
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      expect(heard).toEqual(Array.from({ length: bytes.length >> 1 }, (_, n) => view.getInt16(n * 2, true)));
    }),
  );
});

test("audio at twice real time goes on for ever, a flood does not, however small its frames", () => {
  const bytes = new Uint8Array(2 * 640);
  const steady = live();
  for (let index = 0; index < 10_000; index++)
    expect(steady.handle({ case: "audio", bytes, nowMs: index * 20 })).toHaveLength(1);
  for (const flood of [new Uint8Array(32_000), new Uint8Array(1)]) {
    const machine = live();
    let outputs: MicrophoneOutput[] = [];
    for (let index = 0; index < 6_000 && machine.state === "live"; index++)
      outputs = machine.handle({ case: "audio", bytes: flood, nowMs: 0 });
    expect(outputs).toEqual([
      {
        case: "send",
        event: {
          type: "error",
          error: refusals.audioFlood.error,
          fatal: true,
          code: microphoneCloseCode.policy,
        },
      },
      { case: "close", code: microphoneCloseCode.policy, reason: refusals.audioFlood.error, defect: true },
    ]);
  }
  const talker = live();
  for (let index = 0; index <= 2 * microphoneLimits.messagesPerSecond; index++)
    say(talker, { type: "mute", muted: false });
  expect(talker.state).toBe("closed");
});

test("muted: what is on its way makes no turn, and what was drawn is taken back", () => {
  const machine = live();
  hear(machine, { case: "partial", text: "And then" });
  expect(say(machine, { type: "mute", muted: true })).toEqual([
    { case: "deafen", deaf: true },
    { case: "drop" },
    { case: "forget" },
    { case: "send", event: { type: "caption_clear" } },
  ]);
  expect(hear(machine, { case: "nothing" })).toEqual([{ case: "drop" }]);
  expect(turn(machine, "And then what?")).toEqual([]);
  expect(hear(machine, { case: "speech_started", atMs: 0 }, true)).toEqual([]);
  expect(machine.handle({ case: "audio", bytes: new Uint8Array(4), nowMs: 0 })).toEqual([]);
  expect(say(machine, { type: "mute", muted: true })).toEqual([]);
  expect(say(machine, { type: "mute", muted: false })).toEqual([{ case: "deafen", deaf: false }]);
});

test("a pause is told once, whoever began it, and a resume is always answered", () => {
  const machine = live();
  turn(machine, "Hold on.");
  const action = { name: "pause_conversation", label: "Pause", paused: true } as const;
  expect(machine.handle({ case: "call", change: { case: "paused", paused: true } })).toEqual([
    { case: "deafen", deaf: true },
    { case: "drop" },
    { case: "forget" },
  ]);
  expect(sent(report(machine, { turn: 1, case: "action", action }))).toEqual([{ type: "action", ...action }]);
  expect(sent(report(machine, { turn: 1, case: "silent" }))).toEqual([{ type: "state", thinking: false }]);
  expect(turn(machine, "Nobody hears this.")).toEqual([]);
  const resumed = { type: "action", name: "pause_conversation", label: expect.any(String), paused: false };
  const outputs = say(machine, { type: "resume" });
  expect(sent(outputs)).toEqual([resumed]);
  expect(outputs.slice(1)).toEqual([{ case: "resume" }, { case: "deafen", deaf: false }]);
  expect(machine.handle({ case: "call", change: { case: "paused", paused: false } })).toEqual([]);
  expect(sent(say(machine, { type: "resume" }))).toEqual([resumed]);
  // By another way than a spoken turn.
  expect(sent(machine.handle({ case: "call", change: { case: "paused", paused: true } }))).toMatchObject([
    { name: "pause_conversation", paused: true },
  ]);
  // While a turn runs that says nothing of it.
  say(machine, { type: "resume" });
  turn(machine, "Again.");
  machine.handle({ case: "call", change: { case: "language", language: "de" } });
  expect(sent(report(machine, { turn: 2, case: "replied", reply: "Ja.", tone: "warm" }))).toMatchObject([
    { type: "reply" },
    { type: "state", thinking: false },
    { type: "action", name: "set_language", language: "de", label: "Sprache wechseln" },
  ]);
});

test("a socket opened during a pause says so", () => {
  const machine = new MicrophoneMachine({ mode: null, nowMs: 0 });
  expect(sent(machine.handle(opened(null, true)))).toMatchObject([
    { type: "ready" },
    { type: "action", name: "pause_conversation", paused: true },
  ]);
});

test("a conversation mode hears of no partials, captions, pauses and languages", () => {
  const machine = live("openai_realtime");
  expect(sent(hear(machine, { case: "partial", text: "Hi" }))).toEqual([]);
  expect(sent(say(machine, { type: "mute", muted: true }))).toEqual([]);
  say(machine, { type: "mute", muted: false });
  expect(say(machine, { type: "resume" })).toEqual([{ case: "resume" }]);
  expect(sent(machine.handle({ case: "call", change: { case: "language", language: "fr" } }))).toEqual([]);
  turn(machine, "Pause.");
  const action = { name: "pause_conversation", label: "Pause", paused: true } as const;
  expect(report(machine, { turn: 1, case: "action", action })).toEqual([]);
  expect(
    sent(report(machine, { turn: 1, case: "action", action: { name: "skip_turn", label: "Quiet" } })),
  ).toEqual([{ type: "action", name: "skip_turn", label: "Quiet" }]);
});

test("barge-in closes the turn with what was said, then takes the floor; the old turn is heard of no more", () => {
  const machine = live();
  turn(machine, "Tell me a story.", 1_000);
  machine.handle({ case: "speaking", speaking: true });
  report(machine, { turn: 1, case: "clause", text: "Once", tone: "warm" });
  expect(sent(report(machine, { turn: 1, case: "first_audio", atMs: 1_300.04, spec: true }))).toEqual([
    { type: "metric", first_audio_ms: 300, spec: true },
  ]);
  report(machine, { turn: 1, case: "clause", text: "upon a time", tone: "sad" });
  const outputs = hear(machine, { case: "speech_started", atMs: 9_000 }, true);
  expect(outputs).toEqual([
    { case: "touch" },
    { case: "interrupt" },
    { case: "send", event: { type: "reply", reply: "Once upon a time", tone: "warm", avatar: "maya" } },
    { case: "send", event: { type: "state", thinking: false } },
    { case: "send", event: { type: "state", speaking: false, bargein: true } },
  ]);
  expect(report(machine, { turn: 1, case: "clause", text: "there was", tone: "warm" })).toEqual([]);
  expect(report(machine, { turn: 1, case: "replied", reply: "Once upon a time", tone: "warm" })).toEqual([]);
  // The stage has not answered yet: the floor is taken once.
  expect(sent(hear(machine, { case: "speech_started", atMs: 9_100 }, true))).toEqual([]);
  expect(sent(turn(machine, "A short one.", 10_000))).toEqual([
    { type: "final", text: "A short one.", continues: false },
    { type: "state", thinking: true },
  ]);
  for (const late of [
    { turn: 1, case: "clause", text: "there was", tone: "warm" },
    { turn: 1, case: "first_audio", atMs: 10_100, spec: false },
    { turn: 1, case: "replied", reply: "Once upon a time", tone: "warm" },
    { turn: 1, case: "failed", error: "It broke." },
  ] as const)
    expect(report(machine, late)).toEqual([]);
});

test.each([
  ["nothing was heard of the reply", null, true],
  ["only its first words were", 8_800, true],
  ["it was well under way", 8_000, false],
])("who goes on when %s", (_, firstAudioAtMs, continues) => {
  const machine = live();
  turn(machine, "I would like", 7_000);
  if (firstAudioAtMs) report(machine, { turn: 1, case: "first_audio", atMs: firstAudioAtMs, spec: false });
  if (firstAudioAtMs) report(machine, { turn: 1, case: "replied", reply: "Yes?", tone: "neutral" });
  hear(machine, { case: "speech_started", atMs: 9_000 }, firstAudioAtMs !== null);
  expect(sent(turn(machine, "a cup of tea.", 10_000))).toContainEqual({
    type: "final",
    text: "a cup of tea.",
    continues,
  });
});

test.each<[string, (machine: MicrophoneMachine) => unknown, boolean]>([
  [
    "somebody who is back in a moment",
    (machine) => hear(machine, { case: "speech_started", atMs: 12_000 }),
    true,
  ],
  [
    "somebody who talks on and on",
    (machine) => {
      hear(machine, { case: "partial", text: "and" });
      hear(machine, { case: "speech_started", atMs: 40_000 });
    },
    true,
  ],
  [
    "somebody who is back much later",
    (machine) => hear(machine, { case: "speech_started", atMs: 14_001 }),
    false,
  ],
  ["a turn that came by another way", (machine) => machine.handle({ case: "disturbed" }), false],
  ["a mute", (machine) => [true, false].map((muted) => say(machine, { type: "mute", muted })), false],
  [
    "a pause",
    (machine) => {
      machine.handle({ case: "call", change: { case: "paused", paused: true } });
      say(machine, { type: "resume" });
    },
    false,
  ],
])(
  "after %s the next turn goes on with the one that was interrupted, or does not",
  (_, between, continues) => {
    const machine = live();
    turn(machine, "Turn off the", 7_000);
    hear(machine, { case: "speech_started", atMs: 9_000 });
    hear(machine, { case: "partial", text: "er" });
    hear(machine, { case: "nothing" });
    between(machine);
    expect(sent(turn(machine, "lights.", 50_000))[0]).toEqual({ type: "final", text: "lights.", continues });
  },
);

test("words that came to nothing leave no reply that was begun for them", () => {
  const machine = live();
  hear(machine, { case: "likely", text: "What time is it?" });
  expect(hear(machine, { case: "nothing" })).toEqual([{ case: "drop" }]);
});

const asked: MicrophoneEvent[] = [
  { type: "caption_clear" },
  { type: "reply", reply: "Once", tone: "warm", avatar: "maya" },
  { type: "state", thinking: false },
];
test.each<[string, MicrophoneInput, MicrophoneEvent[]]>([
  [
    "fails",
    { case: "heard", event: { case: "failed", message: "Gone." }, busy: false },
    [{ type: "error", error: "Gone." }],
  ],
  ["ends with its session", { case: "session_ended", reason: "Over." }, []],
  [
    "ends with a goodbye",
    { case: "farewell" },
    [{ type: "session_end", reason: "ended_by_persona_request" }],
  ],
  ["is hung up", { case: "text", data: '{"type":"bye"}', nowMs: 0 }, []],
  [
    "is refused",
    { case: "refused", refusal: refusals.idle },
    [{ type: "error", error: refusals.idle.error, fatal: true, code: refusals.idle.code }],
  ],
])("a socket that %s closes its turn and takes its caption back first", (_, input, last) => {
  const machine = live();
  turn(machine, "Tell me.");
  report(machine, { turn: 1, case: "clause", text: "Once", tone: "warm" });
  machine.handle({ case: "call", change: { case: "language", language: "de" } });
  hear(machine, { case: "partial", text: "and" });
  const language = { type: "action", name: "set_language", label: expect.any(String), language: "de" };
  expect(sent(machine.handle(input))).toEqual([...asked, language, ...last]);
  expect(machine.state).toBe("closed");
});

test("recognition that fails before it has begun would not start", () => {
  const machine = new MicrophoneMachine({ mode: null, nowMs: 0 });
  const outputs = machine.handle({ case: "heard", event: { case: "failed", message: "Gone." }, busy: false });
  const { recognitionFailed } = microphoneCloseCode;
  expect(outputs).toEqual([
    { case: "send", event: { type: "error", error: "Gone.", fatal: true, code: recognitionFailed } },
    { case: "close", code: recognitionFailed, reason: "Gone.", defect: false },
  ]);
});

test("a sound over a reply that nobody hears yet takes the floor with its first words, or not at all", () => {
  const thinking = () => {
    const machine = live();
    turn(machine, "What time is it?", 1_000);
    expect(hear(machine, { case: "speech_started", atMs: 2_000 }, true)).toEqual([{ case: "touch" }]);
    return machine;
  };
  const cut = [
    { type: "reply_error", error: expect.any(String) },
    { type: "state", thinking: false },
  ];
  const firstAudio = (machine: MicrophoneMachine, atMs: number) =>
    report(machine, { turn: 1, case: "first_audio", atMs, spec: false });
  for (const event of [
    { case: "partial", text: "And" },
    { case: "likely", text: "And" },
    { case: "turn", text: "And", speechEndedAtMs: 2_500 },
  ] as const) {
    const outputs = hear(thinking(), event);
    expect(outputs).toContainEqual({ case: "interrupt" });
    expect(sent(outputs).slice(0, 2)).toEqual(cut);
  }
  // Nobody is spoken over who may have just begun.
  const begun = firstAudio(thinking(), 2_700);
  expect(begun[0]).toEqual({ case: "interrupt" });
  expect(sent(begun)).toEqual(cut);
  const cough = thinking();
  hear(cough, { case: "nothing" });
  expect(sent(firstAudio(cough, 2_100))).toMatchObject([{ type: "metric" }]);
  const noise = thinking();
  expect(sent(firstAudio(noise, 2_900))).toMatchObject([{ type: "metric" }]);
  expect(hear(noise, { case: "partial", text: "And" }, true)).toContainEqual({ case: "interrupt" });
  // Something else is being said already.
  const spoken = live();
  turn(spoken, "What time is it?", 1_000);
  spoken.handle({ case: "speaking", speaking: true });
  expect(hear(spoken, { case: "speech_started", atMs: 2_000 }, true)).toContainEqual({ case: "interrupt" });
  // Who hears turns by itself knows speech from a cough, and tells of no words before they are a turn.
  const realtime = live("openai_realtime");
  turn(realtime, "What time is it?", 1_000);
  expect(hear(realtime, { case: "speech_started", atMs: 2_000 })).toContainEqual({ case: "interrupt" });
});

test("a turn of nothing but a noise is none", () => {
  const machine = live();
  hear(machine, { case: "partial", text: "…" });
  expect(turn(machine, " … ?")).toEqual([
    { case: "drop" },
    { case: "send", event: { type: "caption_clear" } },
  ]);
});

test("words of the same sound are the same words", () => {
  expect(spokenWords("Hello,  WORLD – it’s 3.5!")).toBe(spokenWords("hello world it's 3.5"));
  expect(spokenWords("We're")).not.toBe(spokenWords("were"));
});

test("a close frame takes any sentence", () => {
  for (const sentence of ["short", "ü".repeat(200), "😀".repeat(40), "x".repeat(124)]) {
    const cut = closeSentence(sentence);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(123);
    expect(cut.isWellFormed()).toBe(true);
  }
});
