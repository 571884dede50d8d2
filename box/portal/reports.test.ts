import { expect, test } from "vitest";
import { ReportQueue, type Report } from "./reports.ts";

function queue(refusals: number) {
  const state = { delivered: [] as string[], failures: 0, refusals };
  const reports = new ReportQueue({
    deliver: ({ path }: Report) => {
      if (state.refusals-- > 0) return Promise.reject(new Error("down"));
      state.delivered.push(path);
      return Promise.resolve();
    },
    onFailure: () => state.failures++,
    retryMs: 1,
  });
  return { state, reports };
}

test("reports arrive in order, however often delivery fails", async () => {
  const { state, reports } = queue(3);
  for (const path of ["a", "b", "c"]) reports.add({ path, body: {} });
  await expect.poll(() => state.delivered).toEqual(["a", "b", "c"]);
  expect(state.failures).toBe(3);
  expect(reports.length).toBe(0);
  await reports.close();
});

test("the end tries once more and waits for nothing", async () => {
  const { state, reports } = queue(1);
  reports.add({ path: "a", body: {} });
  await reports.close();
  expect(state.delivered).toEqual(["a"]);
  const { state: dead, reports: never } = queue(Infinity);
  never.add({ path: "a", body: {} });
  await never.close();
  expect(dead.delivered).toEqual([]);
});

test("what nobody takes does not grow for ever", async () => {
  const { reports } = queue(Infinity);
  for (let index = 0; index < 1_500; index++) reports.add({ path: String(index), body: {} });
  expect(reports.length).toBe(1_000);
  await reports.close();
});

test("where none needs the others, one that fails holds up nobody", async () => {
  const delivered: string[] = [];
  const reports = new ReportQueue({
    deliver: ({ path }: Report) => {
      if (path === "a") return Promise.reject(new Error("down"));
      delivered.push(path);
      return Promise.resolve();
    },
    onFailure: () => undefined,
    rotates: true,
    retryMs: 1,
  });
  for (const path of ["a", "b", "c"]) reports.add({ path, body: {} });
  await expect.poll(() => delivered).toEqual(["b", "c"]);
  expect(reports.items.map(({ path }) => path)).toEqual(["a"]);
  await reports.close();
});
