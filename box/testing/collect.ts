import type { ModelPiece } from "../chat/models/model.ts";

/** Everything a stream gives. */
export async function collect<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for await (const value of source) values.push(value);
  return values;
}

/** The words of a model's reply. */
export async function* textOf(pieces: AsyncIterable<ModelPiece>): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) if (piece.case === "text") yield piece.text;
}
