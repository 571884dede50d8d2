import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { endOfTurn } from "./end-of-turn.ts";
import type { ListenerEvent } from "./listener.ts";
import { SpeechGate } from "./speech-gate.ts";
import { TurnTaking } from "./turn-taking.ts";

const frameMs = 32;
const flush = () => new Promise((resolve) => setImmediate(resolve));

/** Turn-taking with a scripted recogniser: `settles` are its answers, in order; the last heard words by default. */
function scene({ avatarSpeaks = false, echo = "" } = {}) {
  const events: (ListenerEvent & { nowMs: number })[] = [];
  const settles: (string | Error)[] = [];
  const gate = new SpeechGate();
  let nowMs = 0;
  let heard = "";
  let settled = 0;
  let failed = 0;
  let never = false;
  const turns = new TurnTaking({
    language: "en",
    endOfTurn,
    settle: async () => {
      settled += 1;
      const words = heard;
      heard = "";
      if (never) return await new Promise<string>(() => {});
      const scripted = settles.shift();
      if (scripted instanceof Error) throw scripted;
      return scripted ?? words;
    },
    isEcho: (text) => text === echo,
    avatarSpeaks: () => avatarSpeaks,
    tell: (event) => events.push({ ...event, nowMs }),
    failed: () => {
      failed += 1;
    },
    toClock: (audioMs) => audioMs + 1000,
  });
  const pass = async (ms: number, probability: number) => {
    for (let done = 0; done < ms; done += frameMs) {
      nowMs += frameMs;
      gate.step({ probability, endMs: nowMs, enoughMs: 128 });
      const { open, confirmed, sinceMs, lastSpeechMs } = gate;
      turns.step({ nowMs, open, confirmed, sinceMs, lastSpeechMs });
      await flush();
    }
  };
  return {
    turns,
    events,
    settles,
    told: () => events.filter(({ case: kind }) => kind !== "endpoint").map(({ case: kind }) => kind),
    of: <Case extends ListenerEvent["case"]>(kind: Case) =>
      events.filter(
        (event): event is Extract<ListenerEvent, { case: Case }> & { nowMs: number } => event.case === kind,
      ),
    speech: (ms: number) => pass(ms, 0.9),
    silence: (ms: number) => pass(ms, 0.01),
    neverSettle: () => {
      never = true;
    },
    hear: (text: string) => {
      heard = text;
      turns.heard(text);
    },
    get now() {
      return nowMs;
    },
    get settled() {
      return settled;
    },
    get failed() {
      return failed;
    },
  };
}

test("a turn: speech, words, a likely end, the end", async () => {
  const s = scene();
  await s.silence(320);
  await s.speech(640);
  s.hear("where is the station");
  const spokenMs = s.now;
  await s.silence(1600);
  expect(s.told()).toEqual(["speech_started", "partial", "likely", "turn"]);
  expect(s.of("speech_started")[0]?.atMs).toBe(1000 + 320);
  expect(s.of("endpoint")).toMatchObject([{ reason: "question", waitMs: 290 }]);
  expect(s.of("turn")).toMatchObject([{ text: "where is the station", speechEndedAtMs: 1000 + spokenMs }]);
  expect(s.of("turn")[0]?.nowMs).toBeLessThanOrEqual(spokenMs + 290 + frameMs);
});

test("words that leave the sentence open are given time, and the rest of it joins them", async () => {
  const s = scene();
  await s.speech(640);
  s.hear("i'd like a table for");
  await s.silence(1200);
  expect(s.told()).not.toContain("turn");
  await s.speech(640);
  s.hear(s.settled > 0 ? "four people" : "i'd like a table for four people");
  await s.silence(1600);
  expect(s.of("turn").map(({ text }) => text)).toEqual(["i'd like a table for four people"]);
  expect(s.told().filter((kind) => kind === "unlikely").length).toBe(
    s.of("likely").filter(({ text }) => text.endsWith("for")).length,
  );
});

test("the same words wait longer in the middle than at the end", async () => {
  const waits = await Promise.all(
    ["thank you", "i left it there", "a coffee", "so i was and"].map(async (text) => {
      const s = scene();
      await s.speech(640);
      s.hear(text);
      const endMs = s.now;
      await s.silence(3000);
      return (s.of("turn")[0]?.nowMs ?? Number.NaN) - endMs;
    }),
  );
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(new Set(waits).size).toBe(waits.length);
});

test("settling begins within the wait, and is not begun again without new words", async () => {
  const s = scene();
  await s.speech(640);
  s.hear("i left it at home");
  await s.silence(512);
  expect(s.settled).toBe(1);
  expect(s.told()).not.toContain("turn");
  await s.silence(1600);
  expect(s.settled).toBe(1);
  expect(s.told()).toContain("turn");
});

test("words that only settling reveals are judged too", async () => {
  const s = scene();
  await s.speech(640);
  s.hear("i left it at home");
  s.settles.push("i left it at home because");
  await s.silence(1200);
  expect(s.told()).not.toContain("turn");
  expect(s.of("partial").at(-1)?.text).toBe("i left it at home because");
  await s.silence(600);
  expect(s.of("turn").map(({ text }) => text)).toEqual(["i left it at home because"]);
});

test("changed words are likely anew", async () => {
  const s = scene();
  await s.speech(640);
  s.hear("i left it there");
  await s.silence(320);
  s.hear("i left it here");
  await s.silence(1600);
  expect(s.of("likely").map(({ text }) => text)).toEqual(["i left it there", "i left it here"]);
  expect(s.told()).not.toContain("unlikely");
});

test("a noise without words is no turn", async () => {
  const s = scene();
  await s.speech(400);
  await s.silence(3000);
  expect(s.told()).toEqual(["speech_started"]);
  expect(s.turns.open).toBe(false);
});

test("words that come to nothing are taken back", async () => {
  const s = scene();
  await s.speech(400);
  s.hear("the");
  s.settles.push("");
  await s.silence(3000);
  expect(s.told().slice(-1)).toEqual(["nothing"]);
  expect(s.told()).not.toContain("turn");
});

test("a click is neither speech nor the end of a wait", async () => {
  const s = scene();
  await s.speech(64);
  await s.silence(1000);
  expect(s.events).toEqual([]);
  await s.speech(640);
  s.hear("no thanks");
  await s.silence(160);
  await s.speech(64);
  await s.silence(600);
  expect(s.told().filter((kind) => kind === "unlikely" || kind === "turn")).toEqual(["turn"]);
});

test("words of the avatar make no turn", async () => {
  const s = scene({ echo: "welcome to the museum" });
  await s.speech(640);
  s.hear("welcome to the museum");
  await s.silence(3000);
  expect(s.told()).toEqual(["speech_started"]);
});

test("every stretch stops an avatar that speaks", async () => {
  const s = scene({ avatarSpeaks: true });
  await s.speech(400);
  s.hear("i think so but");
  await s.silence(400);
  await s.speech(400);
  expect(s.of("speech_started").length).toBe(2);
});

test("a speaker who never stops is answered after a minute, and goes on in another turn", async () => {
  const s = scene();
  await s.speech(500);
  s.hear("first part");
  await s.speech(61_000);
  s.hear("second part");
  await s.silence(2500);
  expect(s.of("turn").map(({ text }) => text)).toEqual(["first part", "second part"]);
  expect(s.of("speech_started").length).toBe(2);
});

test("a speaker who was cut off is given longer from then on", async () => {
  const s = scene();
  await s.speech(640);
  s.hear("i left it there");
  await s.silence(800);
  await s.speech(640);
  s.hear("i left it here");
  await s.silence(1600);
  const [first, second] = s.of("endpoint");
  expect(second?.waitMs).toBeGreaterThan(first?.waitMs ?? Number.NaN);
});

test("a recogniser that fails at settling has failed", async () => {
  const s = scene();
  await s.speech(640);
  s.hear("no thanks");
  s.settles.push(new Error("gone"));
  await s.silence(3000);
  expect(s.failed).toBe(1);
  expect(s.told()).not.toContain("turn");
});

describe("a recogniser that never settles", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("is not waited for longer than two seconds: the words that were heard are the turn", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const s = scene();
    await s.speech(640);
    s.hear("no thanks");
    s.neverSettle();
    await s.silence(1_000);
    expect(s.told()).not.toContain("turn");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(s.of("turn").map(({ text }) => text)).toEqual(["no thanks"]);
  });

  test.each(["end", "drop"] as const)("leaves no timer behind after %s", async (how) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const s = scene();
    await s.speech(640);
    s.hear("no thanks");
    s.neverSettle();
    await s.silence(1_000);
    expect(vi.getTimerCount()).toBe(1);
    s.turns[how]();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("whatever is said and heard", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("speech" as const), ms: fc.integer({ min: 32, max: 900 }) }),
    fc.record({ kind: fc.constant("silence" as const), ms: fc.integer({ min: 32, max: 2500 }) }),
    fc.record({
      kind: fc.constant("hear" as const),
      text: fc.constantFrom("", "and", "no thanks", "i left it", "where is it now"),
    }),
    fc.record({ kind: fc.constant("drop" as const) }),
  );

  test("events come in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.nat(14), async (steps, endAfter) => {
        const s = scene();
        let ended = Number.POSITIVE_INFINITY;
        for (const [index, one] of steps.entries()) {
          if (index === endAfter) {
            s.turns.end();
            ended = s.events.length;
          }
          if (one.kind === "hear") s.hear(one.text);
          else if (one.kind === "drop") s.turns.drop();
          else await s[one.kind](one.ms);
        }
        expect(s.events.length).toBeLessThanOrEqual(ended);
        let open = false;
        let told = false;
        let likely = false;
        for (const event of s.events) {
          if (event.case === "speech_started") open = true;
          else expect(open || event.case === "nothing").toBe(true);
          if (event.case === "partial") told = true;
          if (event.case === "likely") likely = true;
          if (event.case === "unlikely") {
            expect(likely).toBe(true);
            likely = false;
          }
          if (event.case === "nothing") expect(told).toBe(true);
          if (event.case === "turn") expect(event.text).not.toBe("");
          if (event.case === "turn" || event.case === "nothing") {
            // The next needs a beginning of its own.
            open = false;
            told = false;
            likely = false;
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
