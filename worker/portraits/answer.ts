// What a generator over HTTP answers, read with a limit and nothing of it believed.

/** Thrown for every answer that cannot be used; its message names the fault and quotes nothing of the answer. */
export class GeneratorError extends Error {
  override readonly name = "GeneratorError";
}

/** The body's bytes; throws GeneratorError as soon as it is known to be longer than the limit. */
export async function readBytesWithin(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new GeneratorError(`The generator answered more than ${maxBytes} bytes.`);
  if (Number(response.headers.get("Content-Length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) break;
    size += read.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      throw tooLarge();
    }
    chunks.push(read.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
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
    return await readBytesWithin(response, maxBytes);
  } catch (error) {
    if (error instanceof GeneratorError) throw error;
    throw new GeneratorError(
      signal.aborted ? `The generator took longer than ${timeoutMs} ms.` : "The generator cannot be reached.",
    );
  }
}
