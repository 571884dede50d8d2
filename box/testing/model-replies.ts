import { expect } from "vitest";
import type { ModelPiece, ModelRequest } from "../chat/models/model.ts";

/** A small request, with what a test wants to be different. */
export function modelRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "claude-haiku-5-5",
    system: "Be brief.",
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    parameters: { max_tokens: 64 },
    signal: new AbortController().signal,
    ...changes,
  };
}

/** What was written before a failure, and the failure's words; nothing of it may hold the secret. */
export async function failureOf(
  source: AsyncIterable<ModelPiece>,
  secret: string,
): Promise<{ said: string; message: string }> {
  let said = "";
  try {
    for await (const piece of source) said += piece.case === "text" ? piece.text : `<${piece.case}>`;
  } catch (error) {
    for (let told = error; told instanceof Error; told = told.cause)
      expect(`${told.stack} ${JSON.stringify(told)}`).not.toContain(secret);
    return { said, message: (error as Error).message };
  }
  throw new Error(`It did not fail; it said ${said}`);
}
