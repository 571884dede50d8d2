// Spoken turns: begun early where the speaker may be done, taken when they are, and given up when they go on.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import type { LiveSession } from "../live/session.ts";
import type { PreparedMessage, Speculation, TurnObserver, TurnResult } from "../live/turn.ts";
import { turnFailure, type Turns } from "../live/turns.ts";
import { describeError, type Log } from "../ops/log.ts";
import { refusals, type MicrophoneRefusal } from "./microphone-refusals.ts";
import type { TurnReport } from "./spoken-turn.ts";

/** Whether a caller may speak into what is live: a room belongs to the account that joined it. */
export type MayDrive = (caller: Caller) => Promise<"yes" | "not_owner" | "unverified">;

export interface MicrophoneTurnsOptions {
  session: LiveSession;
  turns: Pick<Turns, "prepare" | "voiceFor" | "message" | "speculate" | "interrupt">;
  caller(): Caller;
  mayDrive: MayDrive;
  /** False: a reply is begun when its turn is over, and not before. */
  early: boolean;
  log: Log;
  onReport(report: TurnReport): void;
  /** Which account the voice is billed to, as far as it is not the one chosen. */
  onNotice(notice: string): void;
  onComplaint(error: string): void;
  onRefused(refusal: MicrophoneRefusal): void;
}

interface Running {
  turn: number;
  /** With the words of a turn before it that it goes on with. */
  content: string;
  /** Of the turn once it is under way; before that its words are in no history. */
  correlationId: string | null;
}

interface Attempt {
  /** What it answers. */
  words: string;
  dropped: boolean;
  speculation: Promise<Speculation | null>;
}

/** A reply closes after the news of its first audio, which a stage has within a few frames. */
const firstAudioWithinMs = 500;

/** Words as they sound: without case, punctuation and spacing. */
export function spokenWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/(?<![\p{L}\p{N}])[\p{P}\p{S}]+|[\p{P}\p{S}]+(?![\p{L}\p{N}])/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const joined = (before: string, after: string) => (before === "" ? after : `${before}\n${after}`);

export class MicrophoneTurns {
  readonly #options: MicrophoneTurnsOptions;
  readonly #over = new AbortController();
  /** What the next turn waits for: a wish being checked, an interrupted reply being silenced. */
  #settled: Promise<unknown> = Promise.resolve();
  #voice: string | undefined;
  #running: Running | null = null;
  #attempt: Attempt | null = null;
  /** Words of a turn that was cut before it was under way; they belong to the next. */
  #carried = "";
  /** Its own turns, also those that were interrupted, until they are over. */
  readonly #underWay = new Set<string>();

  constructor(options: MicrophoneTurnsOptions) {
    this.#options = options;
  }

  /** The voice of the next turns; empty for whichever is theirs anyway. */
  configure(voice: string | undefined): void {
    this.drop();
    this.#settled = this.#settled.then(() => this.#configure(voice?.trim() || undefined));
  }

  /** The speaker may be done. */
  speculate(text: string): void {
    if (!this.#options.early) return;
    this.drop();
    const content = joined(this.#carried, text);
    const attempt: Attempt = {
      words: spokenWords(content),
      dropped: false,
      speculation: Promise.resolve(null),
    };
    this.#attempt = attempt;
    attempt.speculation = this.#begin(attempt, content).catch((error: unknown) => {
      // The turn itself, if it comes to that, finds the same trouble and tells of it.
      if (!(error instanceof Refusal)) this.#options.log.error(describeError(error), "a speculation broke");
      return null;
    });
  }

  /** The speaker was not done, or what was begun early is out of date. */
  drop(): void {
    if (this.#attempt) abandon(this.#attempt);
    this.#attempt = null;
  }

  /** The next turn goes on with none before it. */
  forget(): void {
    if (this.#carried !== "") this.drop();
    this.#carried = "";
  }

  /**
   * A turn of the account begins. True when it came by another way than this: what was begun early does not know of it.
   */
  disturbed(correlationId: string | null): boolean {
    if (correlationId !== null && this.#underWay.has(correlationId)) return false;
    this.drop();
    return true;
  }

  /** Silences the avatar and gives up the turn that is under way. */
  interrupt(): void {
    this.drop();
    this.#giveUp();
    const { turns, session, log } = this.#options;
    const silenced = turns
      .interrupt(session.account, { by: "speaker" })
      .catch((error: unknown) => log.error(describeError(error), "an interrupt broke"));
    this.#settled = Promise.all([this.#settled, silenced]);
  }

  /** The turn is over; what was under way is interrupted. */
  take(turn: number, text: string): void {
    this.#giveUp();
    const running: Running = { turn, content: joined(this.#carried, text), correlationId: null };
    this.#carried = "";
    this.#running = running;
    void this.#run(running)
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) this.#options.log.error(describeError(error), "a spoken turn broke");
        if (this.#wanted(running))
          this.#options.onReport({ turn, case: "failed", error: turnFailure(error).message });
      })
      .finally(() => {
        if (this.#running === running) this.#running = null;
      });
  }

  /** What is begun early is given up; a turn under way goes on, unheard of here. */
  close(): void {
    this.#over.abort();
    this.drop();
  }

  #giveUp(): void {
    if (this.#running?.correlationId === null) this.#carried = this.#running.content;
    this.#running = null;
  }

  async #run(running: Running): Promise<void> {
    await this.#settled;
    if (!(await this.#allowed()) || !this.#wanted(running)) return;
    const { content } = running;
    const speculation = await this.#claim(content);
    const prepared = speculation?.prepared ?? (await this.#prepare(content));
    const { session } = this.#options;
    if (!this.#wanted(running) || prepared.live?.session !== session) {
      speculation?.drop();
      return;
    }
    const { correlationId } = prepared.request;
    running.correlationId = correlationId;
    if (correlationId !== null) this.#underWay.add(correlationId);
    this.#options.onNotice(prepared.live.voice.notice);
    try {
      await this.#answer(running, prepared, speculation);
    } finally {
      if (correlationId !== null) this.#underWay.delete(correlationId);
    }
  }

  async #answer(running: Running, prepared: PreparedMessage, speculation: Speculation | null): Promise<void> {
    const { turn } = running;
    const { turns, onReport } = this.#options;
    const firstAudio = Promise.withResolvers<void>();
    const observer: TurnObserver = {
      onClause: ({ text, tone }) => onReport({ turn, case: "clause", text, tone }),
      onTool: ({ name, label }) => onReport({ turn, case: "tool", name, label }),
      onAction: (action) => onReport({ turn, case: "action", action }),
      onFirstAudio: () => {
        onReport({ turn, case: "first_audio", atMs: performance.now(), spec: speculation !== null });
        firstAudio.resolve();
      },
    };
    const result = await (speculation ? speculation.commit(observer) : turns.message(prepared, observer));
    if (this.#wanted(running) && isWhole(result)) {
      const waiting = new AbortController();
      const signal = AbortSignal.any([waiting.signal, this.#over.signal]);
      const late = sleep(firstAudioWithinMs, undefined, { signal }).catch(() => undefined);
      await Promise.race([firstAudio.promise, late]);
      waiting.abort();
    }
    const { reply, tone, failure } = result;
    if (reply !== "") onReport({ turn, case: "replied", reply, tone });
    else if (failure) onReport({ turn, case: "failed", error: failure.message });
    else onReport({ turn, case: "silent" });
  }

  #wanted(running: Running): boolean {
    return this.#running === running && !this.#over.signal.aborted;
  }

  /** A socket that may not drive what is live now is closed. */
  async #allowed(): Promise<boolean> {
    const refusal = await refusalOf(this.#options);
    if (refusal) this.#options.onRefused(refusal);
    return refusal === null;
  }

  async #begin(attempt: Attempt, content: string): Promise<Speculation | null> {
    await this.#settled;
    // Nobody is told of a refusal before there is a turn.
    if (attempt.dropped || (await refusalOf(this.#options)) !== null) return null;
    const prepared = await this.#prepare(content);
    if (attempt.dropped || prepared.live?.session !== this.#options.session) return null;
    return this.#options.turns.speculate(prepared);
  }

  /** What was begun early for these words. */
  async #claim(content: string): Promise<Speculation | null> {
    const attempt = this.#attempt;
    if (!attempt) return null;
    this.#attempt = null;
    if (attempt.words === spokenWords(content)) return attempt.speculation;
    abandon(attempt);
    return null;
  }

  async #configure(voice: string | undefined): Promise<void> {
    const before = this.#voice;
    this.#voice = voice;
    if (voice === undefined) return;
    const { caller, session, turns } = this.#options;
    try {
      await turns.voiceFor({ caller: caller(), session, wish: { voice } });
    } catch (error) {
      // Whatever else is wrong, the turn tells of it.
      if (!(error instanceof Refusal) || error.code !== "invalid_body") return;
      this.#voice = before;
      this.#options.onComplaint(error.message);
    }
  }

  #prepare(content: string): Promise<PreparedMessage> {
    const { caller, turns } = this.#options;
    return turns.prepare({
      caller: caller(),
      source: "spoken",
      content,
      voice: this.#voice,
      correlationId: randomUUID(),
    });
  }
}

/** Why the caller may not drive what is live; null when they may. */
export async function refusalOf({
  caller,
  mayDrive,
  log,
}: Pick<MicrophoneTurnsOptions, "caller" | "mayDrive" | "log">): Promise<MicrophoneRefusal | null> {
  try {
    const answer = await mayDrive(caller());
    if (answer === "yes") return null;
    return answer === "not_owner" ? refusals.notOwner : refusals.ownerUnverified;
  } catch (error) {
    log.error(describeError(error), "who owns the room could not be checked");
    return refusals.ownerUnverified;
  }
}

function abandon(attempt: Attempt): void {
  attempt.dropped = true;
  void attempt.speculation.then((speculation) => speculation?.drop());
}

const isWhole = ({ reply, interrupted, failure }: TurnResult) =>
  reply !== "" && !interrupted && failure === null;
