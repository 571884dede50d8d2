// Generators of pictures behind a URL: asked over HTTP, read with a limit, and nothing of their answers believed.

import { readBytesWithin } from "./body.ts";

/** Thrown for every answer that cannot be used; its message names the fault and quotes nothing of the answer. */
export class GeneratorError extends Error {
  override readonly name = "GeneratorError";
}

export interface GeneratorCall {
  url: string;
  body: unknown;
  timeoutMs: number;
  maxBytes: number;
}

/**
 * POSTs JSON to a generator and reads its whole answer. Throws GeneratorError for any status but 200, a redirect, an
 * answer past the limit, or none within the time.
 */
export async function askGenerator({
  url,
  body,
  timeoutMs,
  maxBytes,
}: GeneratorCall): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new GeneratorError(`The generator answered ${response.status}.`);
    }
    const bytes = await readBytesWithin(response, maxBytes);
    if (!bytes) throw new GeneratorError(`The generator answered more than ${maxBytes} bytes.`);
    return bytes;
  } catch (error) {
    if (error instanceof GeneratorError) throw error;
    throw new GeneratorError(
      signal.aborted ? `The generator took longer than ${timeoutMs} ms.` : "The generator cannot be reached.",
    );
  }
}
