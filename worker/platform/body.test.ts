import { describe, expect, test } from "vitest";
import { readBytesWithin, readTextWithin } from "./body.ts";

describe("a body", () => {
  test("is read whole up to its limit, and refused past it", async () => {
    expect(await readBytesWithin(new Response("12345"), 5)).toEqual(new TextEncoder().encode("12345"));
    expect(await readBytesWithin(new Response("123456"), 5)).toBeNull();
    expect(await readBytesWithin(new Response(null), 5)).toHaveLength(0);
    expect(await readTextWithin(new Response("grüße"), 7)).toBe("grüße");
    expect(await readTextWithin(new Response("grüße"), 6)).toBeNull();
    expect(await readTextWithin(new Response(null), 6)).toBe("");
  });

  test("is put together from its pieces in order", async () => {
    const pieces = [[1, 2], [], [3], [4, 5, 6]];
    const stream = new ReadableStream({
      pull(controller) {
        const next = pieces.shift();
        if (next) controller.enqueue(Uint8Array.from(next));
        else controller.close();
      },
    });
    expect(await readBytesWithin(new Response(stream), 6)).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6));
  });

  test("that says it is too long is let go of unread", async () => {
    const cancelled: unknown[] = [];
    let pulls = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(new Uint8Array(1));
        },
        cancel: (reason) => {
          cancelled.push(reason);
        },
      },
      { highWaterMark: 0 },
    );
    expect(await readBytesWithin({ body, headers: new Headers({ "Content-Length": "11" }) }, 10)).toBeNull();
    expect([pulls, cancelled.length]).toEqual([0, 1]);
  });

  test("without an end is read no further than its limit", async () => {
    let pulls = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        pulls += 1;
        controller.enqueue(new Uint8Array(4));
      },
      cancel() {
        cancelled = true;
      },
    });
    expect(await readBytesWithin(new Response(endless), 10)).toBeNull();
    expect(pulls).toBeLessThan(10);
    expect(cancelled).toBe(true);
  });
});
