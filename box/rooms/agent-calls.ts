// What the agent is told of its speech: that it is heard, and, once for every segment, that it is over.

import { setTimeout as sleep } from "node:timers/promises";
import type { SpeechEnd } from "../live/speech.ts";
import { describeError, type Log } from "../ops/log.ts";
import { RoomCallError, type RoomConnection } from "./connection.ts";

const startedMethod = "lk.playback_started";
const finishedMethod = "lk.playback_finished";
const tries = 3;
const pauseMs = 100;
/** The other side has no such method: normal for the first of them. */
const unsupported = 1400;

export interface AgentCallsOptions {
  connection: Pick<RoomConnection, "call">;
  log: Log;
}

export class AgentCalls {
  readonly #options: AgentCallsOptions;
  /** Agents that do not want to hear of it. */
  readonly #uninterested = new Set<string>();
  /** One after another: agents count them. */
  #finished: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: AgentCallsOptions) {
    this.#options = options;
  }

  started(agent: string): void {
    if (this.#uninterested.has(agent)) return;
    void this.#tell(agent, startedMethod, "");
  }

  finished(agent: string, { interrupted, playedMs }: SpeechEnd): void {
    const payload = JSON.stringify({
      playback_position: Math.round(playedMs) / 1000,
      interrupted,
      synchronized_transcript: null,
    });
    this.#finished = this.#finished.then(() => this.#tell(agent, finishedMethod, payload));
  }

  /** Resolves once the agent has heard of every segment that is over, or the time is up. */
  async settled(withinMs: number): Promise<void> {
    const late = new AbortController();
    const waiting = sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.#finished, waiting]);
    late.abort();
  }

  /** Nothing is tried again. */
  close(): void {
    this.#closed = true;
  }

  async #tell(agent: string, method: string, payload: string): Promise<void> {
    const { connection, log } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await connection.call({ to: agent, method, payload });
        return;
      } catch (error) {
        if (method === startedMethod && error instanceof RoomCallError && error.code === unsupported) {
          if (!this.#uninterested.has(agent)) log.info("the agent does not ask when its speech begins");
          this.#uninterested.add(agent);
          return;
        }
        if (this.#closed) return;
        if (attempt === tries) {
          log.warn({ ...describeError(error), method }, "the agent could not be told about its speech");
          return;
        }
        await sleep(pauseMs);
      }
    }
  }
}
