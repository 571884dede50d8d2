// What an operator watches beside the turns: how sessions end, what is being made, and what waits for the portal.

import { Counter, Gauge, type Registry } from "prom-client";
import type { AvatarState, BuildReport } from "../../contract/avatars.ts";
import { endReasonSchema, type EndReason } from "../../contract/live.ts";

/** How much there is of something, read when somebody looks. */
export interface Reading {
  name: string;
  help: string;
  read(): number;
}

export class Operations {
  readonly #registry: Registry;
  readonly #sessions: Counter<"reason">;
  readonly #builds: Counter<"state">;
  readonly #voiceFailures: Counter;
  /** Avatars whose last build has been counted. */
  readonly #counted = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#sessions = new Counter({
      name: "visavis_sessions_total",
      help: "Sessions that have ended, by why.",
      labelNames: ["reason"],
      registers,
    });
    // A rate needs to see a series before its first step.
    for (const reason of endReasonSchema.options) this.#sessions.inc({ reason }, 0);
    this.#builds = new Counter({
      name: "visavis_avatar_builds_total",
      help: "Builds of avatars that came to an end, by what came of them.",
      labelNames: ["state"],
      registers,
    });
    for (const state of ["ready", "failed"]) this.#builds.inc({ state }, 0);
    this.#voiceFailures = new Counter({
      name: "visavis_voice_failures_total",
      help: "Turns whose voice engine failed.",
      registers,
    });
    this.watch({
      name: "visavis_child_processes",
      help: "Programs that run for the box: speech, readers and writers of media files.",
      read: () => process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length,
    });
  }

  sessionEnded(reason: EndReason): void {
    this.#sessions.inc({ reason });
  }

  /** A step of a build; its end counts, once. */
  built(
    avatar: string,
    { state, finished_at: finishedAt }: Pick<BuildReport, "state" | "finished_at">,
  ): void {
    const over: readonly AvatarState[] = ["ready", "failed"];
    if (finishedAt === null || !over.includes(state)) {
      this.#counted.delete(avatar);
      return;
    }
    // Its clips may go on, and are reported along with it.
    if (this.#counted.has(avatar)) return;
    this.#counted.add(avatar);
    this.#builds.inc({ state });
  }

  voiceFailed(): void {
    this.#voiceFailures.inc();
  }

  /** Adds a gauge that is read with every look at the metrics. */
  watch({ name, help, read }: Reading): void {
    this.#registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  }
}
