import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

test("so many run at once, the others in order", async () => {
  const slots = new Slots(2);
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const started: number[] = [];
  const runs = gates.map(({ promise }, index) =>
    slots.run(() => {
      started.push(index);
      return promise;
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  gates[1]?.resolve(1);
  await runs[1];
  await expect.poll(() => started).toEqual([0, 1, 2]);
  gates.forEach(({ resolve }, index) => resolve(index));
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
});

test("work that fails gives its place back", async () => {
  const slots = new Slots(1);
  await expect(slots.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await slots.run(() => Promise.resolve("next"))).toBe("next");
});

test("who waits may leave, and can be sent away", async () => {
  const slots = new Slots(1);
  const gate = Promise.withResolvers<void>();
  const first = slots.run(() => gate.promise);
  const leaving = new AbortController();
  const left = slots.run(() => Promise.resolve(), leaving.signal);
  const sent = slots.run(() => Promise.resolve());
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  slots.refuseWaiting(new Error("closed"));
  await expect(sent).rejects.toThrow("closed");
  gate.resolve();
  await first;
  expect(await slots.run(() => Promise.resolve("free again"))).toBe("free again");
});
