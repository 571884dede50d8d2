// A response of one JSON object per line, written while the work behind it goes on.

/** Answers at once and writes what `work` writes. The work goes on when the reader leaves. */
export function streamFrames<Frame>(work: (write: (frame: Frame) => void) => Promise<void>): Response {
  const encoder = new TextEncoder();
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (frame: Frame) => {
        if (open) controller.enqueue(encoder.encode(`${JSON.stringify(frame)}\n`));
      };
      void work(write).finally(() => {
        if (open) controller.close();
        open = false;
      });
    },
    cancel() {
      open = false;
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
