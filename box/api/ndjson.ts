// A response of one JSON object per line, written while the work behind it goes on.

/**
 * Answers at once and writes what `work` writes. When the reader leaves, the signal aborts; the work goes on unless it
 * heeds that. It answers for its own failures.
 */
export function streamFrames<Frame>(
  work: (write: (frame: Frame) => void, left: AbortSignal) => Promise<void>,
): Response {
  const encoder = new TextEncoder();
  const left = new AbortController();
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (frame: Frame) => {
        if (open) controller.enqueue(encoder.encode(`${JSON.stringify(frame)}\n`));
      };
      const close = () => {
        if (open) controller.close();
        open = false;
      };
      work(write, left.signal).then(close, close);
    },
    cancel() {
      open = false;
      left.abort();
    },
  });
  return new Response(body, {
    status: 200,
    headers: {
      "Content-Type": "application/x-ndjson",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}
