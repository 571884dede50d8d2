// One account at a box: a socket that says things, one that only listens, and what became of every message.

import type { ServerEvent } from "../../contract/control-socket.ts";
import { ModelError, type ModelPiece } from "../chat/models/model.ts";
import { HeldReply } from "./fake-model.ts";
import type { SocketClient } from "./socket-client.ts";
import type { TestBox } from "./test-box.ts";
import { TurnWitness } from "./turn-witness.ts";

/** What the model does when a message asks for it: `held` replies stop after their first words. */
export const manners = ["words", "held", "fails", "nothing", "quiet"] as const;
export type Manner = (typeof manners)[number];

export interface PartyOptions {
  box: TestBox;
  key: string;
  /** In everything this account says, and so in everything it is told. */
  mark: string;
}

/** Long enough for a busy machine; a wait as long as this is a failure. */
const patienceMs = 60_000;

export class Party {
  readonly sent: string[] = [];
  readonly witness = new TurnWitness();
  readonly mark: string;
  readonly #options: PartyOptions;
  readonly #listener: SocketClient;
  readonly #past: ServerEvent[] = [];
  readonly #held: HeldReply[] = [];
  #talker: SocketClient;
  #looked = 0;
  #talks = 0;
  #interrupts = 0;
  /** Those of the socket that talks now. */
  #interruptsNow = 0;

  private constructor(options: PartyOptions, talker: SocketClient, listener: SocketClient) {
    this.#options = options;
    this.mark = options.mark;
    this.#talker = talker;
    this.#listener = listener;
  }

  static async join(options: PartyOptions): Promise<Party> {
    const { box, key } = options;
    return new Party(options, await box.socket({ key }), await box.socket({ key }));
  }

  /** Everything either of its sockets was told. */
  get events(): ServerEvent[] {
    return [...this.#past, ...this.#talker.events, ...this.#listener.events];
  }

  /** Messages that never became turns: an interrupt came before they were accepted. */
  get overtaken(): number {
    return [...this.#past, ...this.#talker.events].filter(
      (event) => event.type === "error" && event.error.includes("before it was accepted"),
    ).length;
  }

  /** The model's part in a turn of this account. */
  reply(manner: Manner): Iterable<ModelPiece | string> | AsyncIterable<ModelPiece | string> {
    switch (manner) {
      case "words":
        return [`One of ${this.mark}. `, "Two. ", "Three."];
      case "held": {
        const held = new HeldReply();
        this.#held.push(held);
        held.write(`One of ${this.mark}. `);
        return held.stream();
      }
      case "fails":
        return failing(`One of ${this.mark}. Tw`);
      case "nothing":
        return [];
      case "quiet":
        return [{ case: "tool_use", use: { id: "u1", name: "skip_turn", arguments: {} } }];
    }
  }

  message(manner: Manner): void {
    const correlationId = `${this.mark}-${this.sent.length}`;
    const content = `${correlationId} ${manner}`;
    this.sent.push(content);
    this.#talker.send({ type: "message", content, correlationId });
  }

  talk(): void {
    this.#talker.send({ type: "talk", content: `${this.mark} talks.`, correlationId: this.#talkId() });
  }

  talkstream(endOfSpeech: boolean): void {
    const piece = { content: `${this.mark} streams.`, startOfSpeech: true, endOfSpeech };
    this.#talker.send({ type: "talkstream", ...piece, correlationId: this.#talkId() });
  }

  interrupt(): void {
    this.#interrupts++;
    this.#interruptsNow++;
    this.#talker.send({ type: "interrupt" });
  }

  send(message: object): void {
    this.#talker.send(message);
  }

  /** Resolves once every interrupt has been acknowledged on both sockets. */
  async acknowledged(): Promise<void> {
    await until("the acknowledgement of an interrupt", () => {
      const count = ({ events }: SocketClient) => events.filter(({ type }) => type === "interrupted").length;
      return count(this.#listener) >= this.#interrupts && count(this.#talker) >= this.#interruptsNow;
    });
    this.look();
  }

  /** Resolves once every message has closed or was overtaken; what is held is let go. */
  async settled(): Promise<void> {
    await until("the end of every turn", () => {
      for (const held of this.#held.splice(0)) held.end();
      this.look();
      return this.witness.closings.length + this.overtaken >= this.sent.length;
    });
  }

  /** Leaves in good order, and comes back. */
  async reconnect(): Promise<void> {
    await this.settled();
    await this.acknowledged();
    this.#talker.close();
    await this.#talker.closed;
    this.#past.push(...this.#talker.events);
    this.#talker = await this.#options.box.socket({ key: this.#options.key });
    this.#interruptsNow = 0;
  }

  /** Shows the witness what the listener has heard since the last look. */
  look(): void {
    const { events } = this.#listener;
    for (; this.#looked < events.length; this.#looked++) {
      const event = events[this.#looked];
      if (event) this.witness.see(event);
    }
  }

  leave(): void {
    this.#talker.drop();
    this.#listener.drop();
  }

  #talkId(): string {
    return `talk-${this.mark}-${this.#talks++}`;
  }
}

async function* failing(words: string): AsyncGenerator<string> {
  await Promise.resolve();
  yield words;
  throw new ModelError("The model broke off.");
}

async function until(what: string, reached: () => boolean): Promise<void> {
  const startedAtMs = performance.now();
  while (!reached()) {
    if (performance.now() - startedAtMs > patienceMs) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}
