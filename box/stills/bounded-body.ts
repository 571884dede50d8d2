/** The body of an answer, or null as soon as it is larger than that. */
export async function readWithin(response: Response, mostBytes: number): Promise<Uint8Array | null> {
  if (!response.body) return new Uint8Array();
  if (Number(response.headers.get("content-length") ?? 0) > mostBytes) {
    await response.body.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels what is left.
    if (size > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
