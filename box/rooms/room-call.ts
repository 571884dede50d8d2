// A box's stay in one room: what happens there, and what the live session makes of it.

import { baseTone, type Tone } from "../../contract/tones.ts";
import type { LiveSession } from "../live/session.ts";
import type { SpeechEnd } from "../live/speech.ts";
import type { Log } from "../ops/log.ts";
import { AgentCalls } from "./agent-calls.ts";
import { AgentSpeech } from "./agent-speech.ts";
import { AgentChoice } from "./agent.ts";
import type {
  IncomingSound,
  RoomConnection,
  RoomListener,
  RoomMessage,
  RoomParticipant,
} from "./connection.ts";
import { RoomPeer } from "./room-peer.ts";
import { toneOf } from "./tones.ts";

/** So long the agent's answer is waited for when the room is left in the middle of its speech. */
const farewellMs = 500;
/** Segments that an agent may send before the avatar is live. */
const mostEarly = 8;

export interface RoomCallOptions {
  /** The agent that is listened to; null: the first one there is. */
  engineIdentity: string | null;
  log: Log;
}

export class RoomCall implements RoomListener {
  readonly #log: Log;
  readonly #agent: AgentChoice;
  #connection: RoomConnection | null = null;
  #peer: RoomPeer | null = null;
  #session: LiveSession | null = null;
  #speech: AgentSpeech | null = null;
  #calls: AgentCalls | null = null;
  /** What the agent sent before the avatar was live, and whether it wanted silence since. */
  #early: { sound: IncomingSound; cleared: boolean }[] = [];
  /** Agents that went, and which of their segments have ended since. */
  readonly #absent = new Map<string, SpeechEnd[]>();
  #tone: Tone = baseTone;
  #over: "dismissed" | "lost" | null = null;
  #closing: Promise<void> | null = null;

  constructor({ engineIdentity, log }: RoomCallOptions) {
    this.#agent = new AgentChoice(engineIdentity);
    this.#log = log;
  }

  /** The room was entered; the peer's packets go there from now on. `published`: both tracks are in the room. */
  enter(
    connection: RoomConnection,
    size: { width: number; height: number },
    onState: (state: RoomPeer["state"]) => void,
  ): { peer: RoomPeer; published: Promise<void> } {
    this.#connection = connection;
    const { tracks, published } = connection.publish(size);
    this.#peer = new RoomPeer({ connection: this, tracks, onState });
    if (this.#over) this.over(this.#over);
    return { peer: this.#peer, published };
  }

  /** The session is live: what the agent says is heard from now on. */
  begin(session: LiveSession): void {
    const { stage, director, playback } = session;
    if (!stage || !this.#connection) return;
    this.#session = session;
    const calls = new AgentCalls({
      connection: this.#connection,
      log: this.#log,
    });
    this.#calls = calls;
    this.#speech = new AgentSpeech({
      director,
      stage,
      playback,
      tone: () => this.#tone,
      onStarted: (from) => {
        if (!this.#absent.has(from)) calls.started(from);
      },
      onFinished: (end, from) => {
        const missed = this.#absent.get(from);
        if (missed) missed.push(end);
        else calls.finished(from, end);
      },
      log: this.#log,
    });
    const early = this.#early.splice(0);
    for (const { sound } of early.filter(({ cleared }) => cleared)) this.#speech.receive(sound);
    this.#speech.clear();
    for (const { sound } of early.filter(({ cleared }) => !cleared)) this.#speech.receive(sound);
  }

  joined(participant: RoomParticipant): void {
    const { identity } = participant;
    this.#agent.joined(participant);
    const missed = this.#absent.get(identity);
    if (!missed) return;
    this.#absent.delete(identity);
    // Back from a broken network it still waits for what became of its words, and one that starts afresh has sent none
    // yet: nothing of before may end later, when it would be taken for the end of something new.
    if (this.#agent.is(identity)) this.#speech?.clear();
    for (const end of missed) this.#calls?.finished(identity, end);
  }

  left(identity: string): void {
    // Nothing more comes of what it was saying; what it has said is heard.
    if (this.#agent.is(identity)) {
      this.#speech?.cutOff();
      this.#absent.set(identity, []);
    }
    this.#agent.left(identity);
  }

  sound(sound: IncomingSound): void {
    const wanted = this.#agent.is(sound.from) && !this.#closing;
    if (wanted && this.#speech) this.#speech.receive(sound);
    else if (wanted && this.#early.length < mostEarly) this.#early.push({ sound, cleared: false });
    else void sound.close();
  }

  message(message: RoomMessage): void {
    const tone = this.#agent.is(message.from) ? toneOf(message) : null;
    if (tone === null) return;
    this.#tone = tone;
    this.#session?.director.wear(tone);
  }

  clearBuffer(from: string): "ok" | "reject" {
    if (!this.#agent.is(from)) return "reject";
    for (const early of this.#early) early.cleared = true;
    this.#speech?.clear();
    return "ok";
  }

  reconnecting(): void {
    this.#log.info("the room's network is away");
    this.#peer?.become("disconnected");
  }

  reconnected(): void {
    this.#log.info("the room's network is back");
    this.#peer?.become("connected");
  }

  over(how: "dismissed" | "lost"): void {
    this.#over = how;
    this.#peer?.become(how === "lost" ? "failed" : "closed");
  }

  /** Leaves the room and frees everything. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#speech?.close();
    for (const { sound } of this.#early.splice(0)) void sound.close();
    // The session's end was the end of the agent's speech, and whoever waits for that news gets it.
    if (!this.#over) await this.#calls?.settled(farewellMs);
    this.#calls?.close();
    await this.#connection?.close();
  }
}
