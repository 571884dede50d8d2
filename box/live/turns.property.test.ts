// Whatever happens in whatever order, two callers' turns keep the rules.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ModelError } from "../chat/models/model.ts";
import { Refusal } from "../failure.ts";
import type { Written } from "../testing/fake-model.ts";
import { callerNamed, settled, TurnMachine } from "../testing/turn-machine.ts";
import { VoiceError, type Pcm, type SpeechRequest } from "../voices/voice.ts";
import type { Speculation, TurnResult } from "./turn.ts";

const accounts = ["olga", "kurt"] as const;
type Account = (typeof accounts)[number];

/** How the model answers a message. */
const replies = [
  "words",
  "nothing",
  "breaks at once",
  "breaks in the middle",
  "hangs",
  "hangs in the middle",
  "tool",
  "tool that hangs",
  "voice breaks",
  "voice hangs",
  "screened",
  "removed",
  "skip",
  "end",
] as const;
type Reply = (typeof replies)[number];

type Step =
  | { do: "message" | "speculate"; account: Account; reply: Reply }
  | {
      do: "talk" | "broken talk" | "speak over" | "interrupt" | "reset" | "commit" | "drop" | "connect";
      account: Account;
    }
  | { do: "finish" | "end" }
  | { do: "wait"; turns: number };

const account = fc.constantFrom(...accounts);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("message" as const),
      account,
      reply: fc.constantFrom(...replies),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("speculate" as const),
      account,
      reply: fc.constantFrom(...replies),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "talk" as const,
        "broken talk" as const,
        "speak over" as const,
        "interrupt" as const,
        "reset" as const,
        "commit" as const,
        "drop" as const,
        "connect" as const,
      ),
      account,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "end" as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("wait" as const), turns: fc.integer({ min: 1, max: 12 }) }),
  },
);

interface Accepted {
  account: Account;
  id: string;
  case: "message" | "talk";
  result: TurnResult | null;
  /** A talk whose voice broke before anything was heard. */
  unspoken?: boolean;
}

class Play {
  readonly machine = new TurnMachine();
  readonly accepted: Accepted[] = [];
  readonly running: Promise<unknown>[] = [];
  readonly speculations = new Map<Account, { id: string; speculation: Speculation }>();
  readonly dropped: string[] = [];
  /** What came after a stop was acknowledged, and must not hold these ids. */
  readonly stops: { account: Account; ids: string[]; from: number }[] = [];
  /** Whose words a stage was given. */
  readonly pushed: { owner: Account; spoken: number }[] = [];
  #count = 0;

  constructor() {
    const { machine } = this;
    for (const name of accounts) machine.told(name);
    machine.media.held = true;
    machine.model.reply = ({ messages }) =>
      this.#answer(
        messages.findLast(({ role }) => role === "user"),
        messages.length,
      );
    machine.tools.answer = (use) =>
      use.arguments.hangs ? new Promise(() => undefined) : Promise.resolve("found");
    // Samples say whose words they are.
    machine.voice.synthesize = async function* ({ text }: SpeechRequest): AsyncGenerator<Pcm> {
      if (text.includes("stumble")) throw new VoiceError("The voice broke.");
      if (text.includes("stuck")) await new Promise(() => undefined);
      const samples = new Int16Array(text.length * 80).fill(
        1 + accounts.findIndex((name) => text.includes(name)),
      );
      yield { samples, sampleRate: 8000 };
    };
  }

  async *#answer(
    message: { content?: string } | { results: unknown } | undefined,
    length: number,
  ): AsyncGenerator<Written> {
    const content = message && "content" in message ? (message.content ?? "") : "";
    const [id = "", kind = ""] = content.split("\n").at(-1)?.split("|") ?? [];
    const tool = (name: string, input = {}): Written => ({
      case: "tool_use",
      use: { id, name, arguments: input },
    });
    const again = length > 1 && this.machine.tools.ran.some(({ use }) => use.id === id);
    const first = `${id} first words here. `;
    const second = `${id} second words. `;
    switch (kind as Reply) {
      case "nothing":
        return;
      case "breaks at once":
        throw new ModelError("The model failed.");
      case "breaks in the middle":
        yield first + second;
        throw new ModelError("The model failed.");
      case "hangs":
        await new Promise(() => undefined);
        return;
      case "hangs in the middle":
        yield first + second;
        await new Promise(() => undefined);
        return;
      case "tool":
      case "tool that hangs":
        if (again) yield second;
        else {
          yield first;
          yield tool("look_up", { hangs: kind === "tool that hangs" });
        }
        return;
      case "voice breaks":
        yield `${first}${id} stumble. ${second}`;
        return;
      case "voice hangs":
        yield `${first}${id} stuck. ${second}`;
        return;
      case "screened":
        yield `${first}${id} forbidden. ${second}`;
        return;
      case "removed":
        yield `${id} forbidden.`;
        return;
      case "skip":
        yield tool("skip_turn");
        return;
      case "end":
        yield first;
        yield tool("end_call");
        return;
      default:
        yield first;
        await Promise.resolve();
        yield second;
    }
  }

  async do(step: Step): Promise<void> {
    const { machine } = this;
    switch (step.do) {
      case "wait":
        for (let turn = 0; turn < step.turns; turn++) await Promise.resolve();
        if (step.turns > 8) await settled();
        break;
      case "finish":
        machine.media.stages.at(-1)?.finishSpeaking();
        break;
      case "end":
        this.running.push(machine.slot.end("disconnected"));
        break;
      case "connect": {
        await machine.connect(step.account);
        const { stage } = machine.media;
        stage.playedShare = 0.6;
        stage.onPushed = (pcm) =>
          this.pushed.push({ owner: step.account, spoken: pcm.find((sample) => sample !== 0) ?? 0 });
        break;
      }
      case "message": {
        const { turn, prepared } = await this.#prepare(step.account, step.reply);
        this.#accept(turn, machine.turns.message(prepared));
        break;
      }
      case "speculate": {
        const { turn, prepared } = await this.#prepare(step.account, step.reply);
        this.#forget(step.account);
        this.speculations.set(step.account, { id: turn.id, speculation: machine.turns.speculate(prepared) });
        break;
      }
      case "commit": {
        const held = this.speculations.get(step.account);
        this.speculations.delete(step.account);
        if (held)
          this.#accept(
            { account: step.account, id: held.id, case: "message", result: null },
            held.speculation.commit(),
          );
        break;
      }
      case "drop":
        this.speculations.get(step.account)?.speculation.drop();
        this.#forget(step.account);
        break;
      case "talk":
      case "broken talk": {
        const turn: Accepted = {
          account: step.account,
          id: this.#id(step.account),
          case: "talk",
          result: null,
        };
        const talk = machine.turns.talk({
          caller: callerNamed(step.account),
          content: `${turn.id} ${step.do === "talk" ? "as written" : "stumble"}. ${turn.id} more.`,
          correlationId: turn.id,
        });
        const taken = talk.then(
          ({ failure }) => this.accepted.push({ ...turn, unspoken: failure !== null }),
          (error: unknown) => expect(error).toBeInstanceOf(Refusal),
        );
        this.running.push(taken);
        break;
      }
      case "interrupt":
      case "speak over": {
        const ids = this.accepted.filter((turn) => turn.account === step.account).map(({ id }) => id);
        const stop = machine.turns.interrupt(step.account, {
          by: step.do === "interrupt" ? "command" : "speaker",
        });
        this.running.push(
          stop.then(() =>
            this.stops.push({ account: step.account, ids, from: machine.events(step.account).length }),
          ),
        );
        break;
      }
      case "reset":
        this.running.push(machine.turns.reset(step.account));
        break;
    }
  }

  async end(): Promise<void> {
    for (const name of accounts) {
      this.#forget(name);
      await this.machine.turns.interrupt(name);
    }
    await Promise.all(this.running);
    await settled();
  }

  #id(name: Account): string {
    return `${name}${++this.#count}`;
  }

  async #prepare(name: Account, reply: Reply) {
    const id = this.#id(name);
    const prepared = await this.machine.prepare(`${id}|${reply}`, { account: name, correlationId: id });
    return {
      turn: { account: name, id, case: "message", result: null } satisfies Accepted as Accepted,
      prepared,
    };
  }

  #accept(turn: Accepted, result: Promise<TurnResult>): void {
    this.accepted.push(turn);
    this.running.push(result.then((came) => (turn.result = came)));
  }

  /** A held reply that nobody will ask for any more. */
  #forget(name: Account): void {
    const held = this.speculations.get(name);
    if (!held) return;
    held.speculation.drop();
    this.dropped.push(held.id);
    this.speculations.delete(name);
  }
}

const of = (events: readonly object[], id: string) =>
  events.filter((event) => "correlationId" in event && event.correlationId === id) as {
    type: string;
    content?: string;
    contentIndex?: number;
    endOfSpeech?: boolean;
  }[];

/** A token ends where its number ends: olga1 is not olga12. */
const names = (text: string, id: string) => new RegExp(`\\b${id}\\b`).test(text);

function check(play: Play): void {
  const { machine, accepted, dropped, stops, pushed } = play;
  for (const name of accounts) {
    const events = machine.events(name);
    const told = JSON.stringify([machine.told(name), machine.history(name)]);
    // Nobody hears of the other.
    expect(told).not.toContain(name === "olga" ? "kurt" : "olga");
    for (const id of dropped) expect(names(told, id)).toBe(false);

    const turns = accepted.filter((turn) => turn.account === name);
    const failed = turns.filter(
      ({ result, unspoken }) => unspoken || (result?.reply === "" && result.failure !== null),
    );
    // One closing event each: an error has no id, so those are counted.
    expect(events.filter(({ type }) => type === "error")).toHaveLength(failed.length);
    for (const turn of accepted.filter((candidate) => candidate.account === name)) {
      const own = of(events, turn.id);
      const words = own.filter(({ type }) => !type.startsWith("avatar_speech") && type !== "metric");
      const closed = words.filter(({ type }) => type === "message").length;
      if (turn.case === "message") {
        expect(words[0]?.type).toBe("user_message");
        expect(words.filter(({ type }) => type === "user_message")).toHaveLength(1);
      }
      expect(closed).toBe(failed.includes(turn) ? 0 : 1);
      if (closed) expect(words.at(-1)?.type).toBe("message");
      const streamed = words.filter(({ type }) => type === "message_stream");
      expect(streamed.map(({ contentIndex }) => contentIndex)).toEqual(streamed.map((_, index) => index));
      const reply = turn.result?.reply ?? "";
      if (reply !== "") {
        const spoken = streamed.map(({ content }) => content).filter((content) => content !== "");
        expect(spoken.join(" ")).toBe(reply);
        expect(streamed.map(({ endOfSpeech }) => endOfSpeech)).toEqual(
          streamed.map((_, index) => index === streamed.length - 1),
        );
      }
      const speech = own.map(({ type }) => type).filter((type) => type.startsWith("avatar_speech"));
      expect([[], ["avatar_speech_started", "avatar_speech_ended"]]).toContainEqual(speech);
    }
    for (const { ids, from } of stops.filter((stop) => stop.account === name)) {
      const late = events.slice(from).filter(({ type }) => type !== "metric");
      for (const id of ids) expect(of(late, id)).toEqual([]);
    }
    // What is remembered of a reply is how it began.
    for (const line of machine.history(name).filter((entry) => entry.startsWith("assistant: "))) {
      for (const part of line.slice("assistant: ".length).split("\n")) {
        const known = accepted.some(({ result }) => part !== "" && result?.reply.startsWith(part));
        expect([part, known]).toEqual([part, true]);
      }
    }
  }
  for (const { owner, spoken } of pushed) if (spoken !== 0) expect(accounts[spoken - 1]).toBe(owner);
  expect(machine.slot.current?.director.speaking ?? false).toBe(false);
  expect(machine.slot.current?.playback.words ?? "").toBe("");
}

test("each turn closes once, speech ends as often as it starts, old turns are silent, and callers never meet", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      const play = new Play();
      try {
        for (const next of steps) await play.do(next);
        await play.end();
        check(play);
      } finally {
        await play.machine.close();
      }
    }),
    { numRuns: 300 },
  );
});
