import * as fc from "fast-check";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Playback } from "../live/playback.ts";
import { AudioListener } from "./audio-listener.ts";
import type { ListenerEvent } from "./listener.ts";
import type { RecognitionEvent } from "./recogniser.ts";
import type { SpeechScorer } from "./voice-activity.ts";

const log = pino({ level: "silent" });

/** Whatever is loud is speech. */
const byLoudness: SpeechScorer = {
  score: (frame) => Promise.resolve(frame.some((sample) => Math.abs(sample) > 1000) ? 0.95 : 0.02),
};

interface SceneOptions {
  mode?: "openai_realtime";
  wants?: "speech" | "everything";
  playback?: Playback;
  scorer?: SpeechScorer;
}

async function scene({ mode, wants = "speech", playback, scorer = byLoudness }: SceneOptions = {}) {
  const events: ListenerEvent[] = [];
  const given: Int16Array[] = [];
  const calls: string[] = [];
  let nowMs = 5_000;
  let words = "";
  let tell: (event: RecognitionEvent) => void = () => {};
  const listener = await AudioListener.open({
    provider: {
      mode: mode ?? null,
      wants,
      open: ({ onEvent }) => {
        tell = onEvent;
        return Promise.resolve({
          push: (samples) => given.push(samples),
          settle: () => {
            const settled = words;
            words = "";
            return Promise.resolve(settled);
          },
          drop: () => {
            words = "";
            calls.push("drop");
          },
          setLanguage: (language) => calls.push(language),
          close: () => {
            calls.push("close");
            return Promise.resolve();
          },
        });
      },
    },
    scorer,
    language: "en",
    playback: playback ?? null,
    log,
    onEvent: (event) => events.push(event),
    now: () => nowMs,
  });
  const pass = async (ms: number, sample: (index: number) => number, chunk = 320) => {
    for (let left = Math.round(ms * 16); left > 0; left -= chunk) {
      const count = Math.min(chunk, left);
      nowMs += count / 16;
      listener.push(Int16Array.from({ length: count }, (_, index) => sample(index)));
      await listener.judged();
      await Promise.resolve();
    }
  };
  return {
    listener,
    events,
    given,
    calls,
    told: () => events.filter(({ case: kind }) => kind !== "endpoint").map(({ case: kind }) => kind),
    speech: (ms: number, chunk?: number) => pass(ms, (index) => (index % 2 ? 8000 : -8000), chunk),
    silence: (ms: number, chunk?: number) => pass(ms, () => 0, chunk),
    recognise: (event: RecognitionEvent) => tell(event),
    willSettle: (text: string) => {
      words = text;
    },
    hear: (text: string) => {
      words = text;
      tell({ case: "partial", text });
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
    get now() {
      return nowMs;
    },
    samplesGiven: () => given.reduce((sum, { length }) => sum + length, 0),
  };
}

describe("turns", () => {
  test.each([7, 160, 320, 512, 4_001])("the same in chunks of %i samples", async (chunk) => {
    const s = await scene();
    await s.silence(480, chunk);
    await s.speech(640, chunk);
    s.hear("where is the station");
    await s.silence(1_500, chunk);
    expect(s.told()).toEqual(["speech_started", "partial", "likely", "turn"]);
    const turn = s.events.find((event) => event.case === "turn");
    expect(turn).toMatchObject({ text: "where is the station" });
    expect(Math.abs((turn?.speechEndedAtMs ?? 0) - (5_000 + 480 + 640))).toBeLessThanOrEqual(40);
    await s.listener.close();
  });

  test("audio that comes in a burst is judged by its own time", async () => {
    const s = await scene();
    const audio = new Int16Array(16_000 * 4);
    audio.fill(8_000, 16_000, 32_000);
    s.willSettle("no thanks");
    s.listener.push(audio);
    await s.listener.judged();
    expect(s.told().filter((kind) => kind !== "likely")).toEqual(["speech_started", "partial", "turn"]);
    await s.listener.close();
  });

  test("speech gets to the recogniser with what led up to it and a little silence", async () => {
    const s = await scene();
    await s.silence(2_000);
    expect(s.samplesGiven()).toBe(0);
    await s.speech(640);
    s.hear("a coffee");
    await s.silence(3_000);
    const ms = s.samplesGiven() / 16;
    expect(ms).toBeGreaterThanOrEqual(640 + 280);
    expect(ms).toBeLessThanOrEqual(640 + 300 + 400);
    const joined = s.given.flatMap((samples) => [...samples]);
    expect(Math.round(joined.findIndex((sample) => sample !== 0) / 16)).toBeGreaterThanOrEqual(280);
    expect(joined.filter((sample) => sample !== 0).length).toBe(640 * 16);
    await s.listener.close();
  });

  test("a recogniser that wants everything gets every frame once", async () => {
    const s = await scene({ wants: "everything" });
    await s.silence(960);
    await s.speech(640);
    await s.silence(960);
    expect(s.samplesGiven()).toBe(80 * 512);
    await s.listener.close();
  });

  test("words that nobody said are dropped", async () => {
    const s = await scene({ wants: "everything" });
    await s.silence(320);
    s.hear("television");
    expect(s.calls).toEqual(["drop"]);
    expect(s.events).toEqual([]);
    await s.listener.close();
  });
});

describe("the switch", () => {
  test("muted in the middle: what was heard is taken back, and nothing more is heard", async () => {
    const s = await scene();
    await s.speech(640);
    s.hear("i was about to");
    s.listener.setMuted(true);
    expect(s.told()).toEqual(["speech_started", "partial", "nothing"]);
    const given = s.samplesGiven();
    await s.speech(640);
    s.hear("secret");
    expect(s.samplesGiven()).toBe(given);
    expect(s.calls).toContain("drop");
    s.listener.setMuted(false);
    await s.speech(640);
    s.hear("no thanks");
    await s.silence(1_500);
    expect(s.told().slice(3)).toEqual(["speech_started", "partial", "likely", "turn"]);
    await s.listener.close();
  });

  test("right after it, speech is told of when it was, not as long ago as it was muted", async () => {
    const s = await scene();
    await s.silence(2_000);
    s.listener.setMuted(true);
    s.wait(200);
    s.listener.setMuted(false);
    const spokeMs = s.now;
    await s.speech(640);
    const started = s.events.find((event) => event.case === "speech_started");
    expect(Math.abs((started?.atMs ?? 0) - spokeMs)).toBeLessThan(50);
    await s.listener.close();
  });

  test("a language is passed on", async () => {
    const s = await scene();
    s.listener.setLanguage("de");
    expect(s.calls).toEqual(["de"]);
    await s.speech(640);
    s.hear("ich bleibe zu hause weil");
    expect(s.events.at(-1)).toMatchObject({ case: "endpoint", reason: "unfinished" });
    await s.listener.close();
  });
});

describe("ends", () => {
  test("nothing is told after closing, and closing twice is closing once", async () => {
    const s = await scene();
    await s.speech(640);
    s.hear("i left it there");
    const before = s.events.length;
    await Promise.all([s.listener.close(), s.listener.close()]);
    await s.silence(2_000);
    s.hear("more");
    s.recognise({ case: "failed", message: "Gone." });
    s.listener.setMuted(true);
    expect(s.events.length).toBe(before);
    expect(s.calls.filter((call) => call === "close").length).toBe(1);
  });

  test("a recogniser that dies is told of once", async () => {
    const s = await scene();
    await s.speech(640);
    s.recognise({ case: "failed", message: "The recogniser ended." });
    s.recognise({ case: "failed", message: "Again." });
    await s.silence(1_000);
    expect(s.events.filter(({ case: kind }) => kind === "failed")).toEqual([
      { case: "failed", message: "The recogniser ended." },
    ]);
    expect(s.told().at(-1)).toBe("failed");
    await s.listener.close();
  });

  test("so is a network that fails, in words of our own", async () => {
    const scorer = { score: () => Promise.reject(new Error("secret detail")) };
    const s = await scene({ scorer });
    await s.silence(200);
    expect(s.events).toEqual([{ case: "failed", message: "Speech recognition failed on this box." }]);
    await s.listener.close();
  });

  test("playback is let go", async () => {
    const playback = new Playback();
    const ended = vi.fn();
    vi.spyOn(playback, "subscribe").mockReturnValue(ended);
    const s = await scene({ playback });
    await s.listener.close();
    expect(ended).toHaveBeenCalledOnce();
  });
});

describe("audio that stops coming", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("in the middle of a wait the clock goes on", async () => {
    const s = await scene();
    await s.speech(640);
    s.hear("i left it at home");
    await s.silence(128);
    expect(s.told()).not.toContain("turn");
    for (let round = 0; round < 20; round += 1) {
      s.wait(100);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(s.told()).toEqual(["speech_started", "partial", "likely", "turn"]);
    expect(vi.getTimerCount()).toBe(0);
    await s.listener.close();
  });

  test("a microphone that sends only speech is answered as soon every time, and its time is the clock's", async () => {
    const s = await scene();
    for (let turn = 1; turn <= 6; turn += 1) {
      const spokeMs = s.now;
      await s.speech(640);
      s.hear("i left it at home");
      await s.silence(160);
      for (let round = 0; round < 12; round += 1) {
        s.wait(100);
        await vi.advanceTimersByTimeAsync(100);
      }
      const of = (kind: ListenerEvent["case"]) => s.events.filter((event) => event.case === kind);
      expect(of("turn")).toHaveLength(turn);
      const started = of("speech_started").at(-1);
      expect(Math.abs((started?.case === "speech_started" ? started.atMs : 0) - spokeMs)).toBeLessThan(50);
      const ended = of("turn").at(-1);
      const endedMs = ended?.case === "turn" ? ended.speechEndedAtMs : 0;
      expect(Math.abs(endedMs - spokeMs - 640)).toBeLessThan(50);
    }
    const waits = s.events.flatMap((event) => (event.case === "endpoint" ? [event.waitMs] : []));
    expect(new Set(waits).size).toBe(1);
    await s.listener.close();
  });

  test("after a turn that ended while audio still came, speech after a gap is not too soon", async () => {
    const s = await scene();
    for (let turn = 0; turn < 3; turn += 1) {
      await s.speech(640);
      s.hear("no thanks");
      for (let round = 0; round < 100 && s.told().at(-1) !== "turn"; round += 1) await s.silence(32);
      s.wait(3_000);
    }
    expect(s.told().filter((kind) => kind === "turn")).toHaveLength(3);
    const waits = s.events.flatMap((event) => (event.case === "endpoint" ? [event.waitMs] : []));
    expect(new Set(waits).size).toBe(1);
    await s.listener.close();
  });

  test("no timer outlives the listener", async () => {
    const s = await scene();
    await s.speech(640);
    expect(vi.getTimerCount()).toBe(1);
    await s.listener.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a recogniser that hears turns by itself", () => {
  test("the box's own ear is first to hear that somebody speaks, and it is told once", async () => {
    const s = await scene({ mode: "openai_realtime", wants: "everything" });
    await s.speech(640);
    expect(s.told()).toEqual(["speech_started"]);
    s.recognise({ case: "speech_started" });
    s.recognise({ case: "partial", text: "ignored" });
    await s.silence(600);
    s.recognise({ case: "turn", text: " no thanks " });
    expect(s.events.slice(1)).toMatchObject([{ case: "turn", text: "no thanks" }]);
    await s.speech(640);
    expect(s.told()).toEqual(["speech_started", "turn", "speech_started"]);
    await s.listener.close();
  });

  test("it may hear what the box did not", async () => {
    const s = await scene({ mode: "openai_realtime", wants: "everything" });
    await s.silence(640);
    s.recognise({ case: "speech_started" });
    s.recognise({ case: "turn", text: "psst" });
    expect(s.told()).toEqual(["speech_started", "turn"]);
    await s.listener.close();
  });
});

describe("while the avatar speaks", () => {
  const speaking = () => {
    const playback = new Playback();
    playback.say(1, "welcome to the museum of modern art");
    playback.started(1, 5_000);
    return playback;
  };

  test("a cough does not stop it", async () => {
    const s = await scene({ playback: speaking() });
    await s.silence(320);
    await s.speech(192);
    await s.silence(640);
    expect(s.told()).toEqual([]);
    await s.listener.close();
  });

  test("a speaker does", async () => {
    const s = await scene({ playback: speaking() });
    await s.silence(320);
    await s.speech(640);
    expect(s.told()).toEqual(["speech_started"]);
    await s.listener.close();
  });

  test("its own words make no turn", async () => {
    const s = await scene({ playback: speaking() });
    await s.speech(960);
    s.hear("the museum of modern art");
    await s.silence(3_000);
    expect(s.told()).toEqual(["speech_started"]);
    await s.listener.close();
  });

  test("a recogniser that wants everything hears silence in its place", async () => {
    const s = await scene({ playback: speaking(), wants: "everything" });
    await s.speech(192);
    await s.silence(640);
    expect(s.samplesGiven()).toBe(26 * 512);
    expect(s.given.every((samples) => samples.every((sample) => sample === 0))).toBe(true);
    await s.speech(960);
    const loud = s.given.flatMap((samples) => [...samples]).filter((sample) => sample !== 0).length;
    expect(loud).toBe(960 * 16);
    await s.listener.close();
  });
});

test("any sound and any words: one end a turn, and silence after closing", async () => {
  const span = fc.record({
    kind: fc.constantFrom("speech" as const, "silence" as const),
    ms: fc.integer({ min: 10, max: 1_500 }),
    chunk: fc.constantFrom(160, 333, 512, 3_000),
    words: fc.option(fc.constantFrom("no thanks", "and then", "where is it now", "")),
    muted: fc.option(fc.boolean(), { freq: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(span, { maxLength: 10 }), async (spans) => {
      const s = await scene();
      for (const { kind, ms, chunk, words, muted } of spans) {
        if (muted !== null) s.listener.setMuted(muted);
        await s[kind](ms, chunk);
        if (words !== null) s.hear(words);
      }
      await s.listener.close();
      const told = s.events.length;
      await s.speech(300);
      s.hear("late");
      expect(s.events.length).toBe(told);
      let state: "idle" | "open" = "idle";
      let likely = false;
      let partial = false;
      for (const event of s.events) {
        if (event.case === "speech_started") state = "open";
        if (event.case === "partial") partial = true;
        if (event.case === "likely") likely = true;
        if (event.case === "unlikely") {
          expect(likely).toBe(true);
          likely = false;
        }
        if (event.case === "nothing") expect(partial).toBe(true);
        if (event.case === "turn" || event.case === "nothing") {
          expect(state).toBe("open");
          state = "idle";
          likely = false;
          partial = false;
        }
      }
    }),
    { numRuns: 60 },
  );
});
