// What an operator watches: counts, durations and the state of the moment, as Prometheus reads them.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ServerEvent } from "../../contract/control-socket.ts";
import type { TurnResult, TurnSource } from "../live/turn.ts";
import { Operations } from "./operations.ts";
import { Percentiles } from "./percentiles.ts";

type Metric = Extract<ServerEvent, { type: "metric" }>;

/** The state of the moment, read when somebody looks. */
export interface Moment {
  controlSockets: number;
  microphoneSockets: number;
  session: "free" | "busy" | "draining";
  /** Of the live session; null without one. */
  media: { frames: number; droppedFrames: number } | null;
}

const buckets = [10, 25, 50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000];

const stages = ["llm_ms", "tts_ms", "first_audio_ms", "first_frame_ms"] as const;
type Duration = (typeof stages)[number] | "end_of_speech_to_audio_ms";

const help: Record<Duration, string> = {
  llm_ms: "From a turn's acceptance to the reply's first clause.",
  tts_ms: "From the first clause to its first sound from the voice.",
  first_audio_ms: "From a turn's acceptance to the reply's first sound on its way.",
  first_frame_ms: "From a turn's acceptance to the first picture of the speaking face.",
  end_of_speech_to_audio_ms: "From the end of the speaker's last word to the reply's first sound.",
};

function outcomeOf({ reply, actions, interrupted, failure }: TurnResult): string {
  if (interrupted) return "interrupted";
  if (failure) return "failed";
  if (reply !== "") return "replied";
  return actions.length > 0 ? "acted" : "silent";
}

export class Metrics {
  /** Its own, so that two boxes of one process keep theirs apart. */
  readonly registry = new Registry();
  readonly operations = new Operations(this.registry);
  readonly #turns: Counter<"source" | "outcome">;
  readonly #tools: Counter;
  readonly #interruptions: Counter;
  readonly #bargeIns: Counter;
  readonly #recogniserFailures: Counter;
  readonly #durations: Record<Duration, { histogram: Histogram; percentiles: Percentiles }>;

  constructor(look: () => Moment) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: "visavis_" });
    const counter = <Label extends string>(name: string, text: string, labelNames: Label[] = []) =>
      new Counter({ name: `visavis_${name}_total`, help: text, labelNames, registers });
    this.#turns = counter("turns", "Messages answered, by how they came and what came of them.", [
      "source",
      "outcome",
    ]);
    this.#tools = counter("tools", "Tools that ran within turns.");
    this.#interruptions = counter("interruptions", "Turns that ended early because somebody wanted silence.");
    this.#bargeIns = counter("barge_ins", "Times a speaker cut in while the avatar spoke.");
    this.#recogniserFailures = counter("recogniser_failures", "Recognitions that would not start or broke.");
    const duration = (name: Duration) => ({
      histogram: new Histogram({ name: `visavis_${name}`, help: help[name], buckets, registers }),
      percentiles: new Percentiles(),
    });
    this.#durations = {
      llm_ms: duration("llm_ms"),
      tts_ms: duration("tts_ms"),
      first_audio_ms: duration("first_audio_ms"),
      first_frame_ms: duration("first_frame_ms"),
      end_of_speech_to_audio_ms: duration("end_of_speech_to_audio_ms"),
    };
    this.#watch(look);
  }

  turn({ source, result }: { source: TurnSource; result: TurnResult }): void {
    this.#turns.inc({ source, outcome: outcomeOf(result) });
    if (result.tools.length > 0) this.#tools.inc(result.tools.length);
    if (result.interrupted) this.#interruptions.inc();
    if (result.failure?.code === "voice_failed") this.operations.voiceFailed();
  }

  /** The figures of a reply that is heard. */
  reply(metric: Metric): void {
    for (const stage of stages) this.#add(stage, metric[stage]);
  }

  /** Somebody speaks while the avatar does. */
  bargedIn(): void {
    this.#bargeIns.inc();
  }

  /** A speaker's reply sounds, so long after the end of their last word. */
  answered(milliseconds: number): void {
    this.#add("end_of_speech_to_audio_ms", milliseconds);
  }

  recogniserFailed(): void {
    this.#recogniserFailures.inc();
  }

  /** Of the last replies. */
  percentiles(name: Duration): { p50: number; p95: number; p99: number } {
    return this.#durations[name].percentiles.read();
  }

  #add(name: Duration, milliseconds: number): void {
    const duration = this.#durations[name];
    duration.histogram.observe(milliseconds);
    duration.percentiles.add(milliseconds);
  }

  #watch(look: () => Moment): void {
    // Registered below, and nowhere else.
    const registers: Registry[] = [];
    const register = (gauge: Gauge<string>) => this.registry.registerMetric(gauge);
    register(
      new Gauge({
        name: "visavis_sockets_open",
        help: "WebSockets that are open, by kind.",
        labelNames: ["kind"],
        registers,
        collect() {
          const { controlSockets, microphoneSockets } = look();
          this.set({ kind: "control" }, controlSockets);
          this.set({ kind: "microphone" }, microphoneSockets);
        },
      }),
    );
    register(
      new Gauge({
        name: "visavis_session_state",
        help: "1 for the state the box is in.",
        labelNames: ["state"],
        registers,
        collect() {
          const { session } = look();
          for (const state of ["free", "busy", "draining"]) this.set({ state }, state === session ? 1 : 0);
        },
      }),
    );
    register(
      new Gauge({
        name: "visavis_session_frames",
        help: "Pictures the live session has sent; 0 without one.",
        registers,
        collect() {
          this.set(look().media?.frames ?? 0);
        },
      }),
    );
    register(
      new Gauge({
        name: "visavis_session_dropped_frames",
        help: "Pictures the live session was too late to send; 0 without one.",
        registers,
        collect() {
          this.set(look().media?.droppedFrames ?? 0);
        },
      }),
    );
  }
}
