import { ModelError, type ModelPiece, type ModelProvider, type ModelRequest } from "../chat/models/model.ts";

export type Written = ModelPiece | string;

/** A model that a test writes through: `reply` takes the whole reply, or pieces can be given one at a time. */
export class FakeModel implements ModelProvider {
  readonly id = "builtin";
  readonly requests: ModelRequest[] = [];
  reply: (request: ModelRequest) => AsyncIterable<Written> | Iterable<Written> = () => [
    "Hello there. How are you?",
  ];

  async *stream(request: ModelRequest): AsyncGenerator<ModelPiece> {
    this.requests.push(request);
    for await (const piece of this.reply(request))
      yield typeof piece === "string" ? { case: "text", text: piece } : piece;
  }
}

/** A reply in the test's hands: it goes on when the test says so, and stops when its turn is taken away. */
export class HeldReply {
  readonly #pieces: Written[] = [];
  #over = false;
  #failure: ModelError | null = null;
  #wake = Promise.withResolvers<void>();

  write(piece: Written): void {
    this.#pieces.push(piece);
    this.#wake.resolve();
  }

  end(): void {
    this.#over = true;
    this.#wake.resolve();
  }

  fail(message: string): void {
    this.#failure = new ModelError(message);
    this.#wake.resolve();
  }

  async *stream(): AsyncGenerator<Written> {
    for (;;) {
      for (let piece = this.#pieces.shift(); piece !== undefined; piece = this.#pieces.shift()) yield piece;
      if (this.#failure) throw this.#failure;
      if (this.#over) return;
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
  }
}
