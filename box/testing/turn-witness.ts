// Watches the events of one account, as a control socket hears them, for what may never happen.

import type { ServerEvent } from "../../contract/control-socket.ts";

/** A turn as it was told: from its user_message to its closing event. */
interface OpenTurn {
  correlationId: string | null;
  content: string;
  clauses: string[];
  /** Nothing more of it may be streamed. */
  ended: boolean;
}

/** Throws as soon as an event comes that breaks the order of turns. Talk has a correlationId that begins with `talk`. */
export class TurnWitness {
  /** The words of every accepted message, in order. */
  readonly accepted: string[] = [];
  /** How each of them closed. */
  readonly closings: ("message" | "error")[] = [];
  interrupts = 0;
  #turn: OpenTurn | null = null;
  #ready = false;

  /** A turn is accepted and has not closed. */
  get open(): boolean {
    return this.#turn !== null;
  }

  see(event: ServerEvent): void {
    if (this.#ready === (event.type === "session_ready"))
      throw new Error(`${event.type} came ${this.#ready ? "again" : "before session_ready"}.`);
    this.#ready = true;
    if ("correlationId" in event && event.correlationId?.startsWith("talk")) return;
    switch (event.type) {
      case "user_message":
        if (this.#turn) throw new Error(`${event.content} was accepted within ${this.#turn.content}.`);
        this.#turn = {
          correlationId: event.correlationId,
          content: event.content,
          clauses: [],
          ended: false,
        };
        this.accepted.push(event.content);
        break;
      case "message_stream": {
        const turn = this.#expect(event.correlationId, event.type);
        const { clauses } = turn;
        if (turn.ended) throw new Error(`Clause ${event.contentIndex} came after the end of speech.`);
        turn.ended = event.endOfSpeech;
        if (event.contentIndex !== clauses.length)
          throw new Error(`Clause ${event.contentIndex} came as number ${clauses.length}.`);
        clauses.push(event.content);
        break;
      }
      case "message": {
        const { clauses, ended } = this.#expect(event.correlationId, event.type);
        if (ended !== (event.content !== "")) throw new Error("Its end of speech was not told.");
        // The end of speech may be an event of its own, with no words.
        if (event.content !== clauses.filter((clause) => clause !== "").join(" "))
          throw new Error("The message is not what was streamed.");
        this.#close("message");
        break;
      }
      case "error":
        if (event.fatal) throw new Error(`It ended: ${event.error}`);
        if (!this.#turn) throw new Error(`An error that closes nothing: ${event.error}`);
        this.#close("error");
        break;
      case "interrupted":
        this.interrupts++;
        break;
      default:
        break;
    }
  }

  #expect(correlationId: string | null, type: string): OpenTurn {
    if (!this.#turn || this.#turn.correlationId !== correlationId)
      throw new Error(
        `${type} of ${correlationId} came while ${this.#turn?.correlationId ?? "nothing"} was open.`,
      );
    return this.#turn;
  }

  #close(how: "message" | "error"): void {
    this.#turn = null;
    this.closings.push(how);
  }
}
