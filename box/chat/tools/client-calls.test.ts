import { afterEach, expect, test, vi } from "vitest";
import type { ServerEvent } from "../../../contract/control-socket.ts";
import { serverEventSchema } from "../../../contract/control-socket.ts";
import { Hub } from "../../live/hub.ts";
import { ClientCalls } from "./client-calls.ts";
import { ClientToolError, type ClientToolCall } from "./client-tools.ts";

type ToolCall = Extract<ServerEvent, { type: "tool_call" }>;

function setUp() {
  const hub = new Hub();
  const connected = new Set(["me", "them"]);
  const told: { account: string; call: ToolCall }[] = [];
  for (const account of connected)
    hub.subscribe(account, (message) => {
      if (message.case !== "event" || message.event.type !== "tool_call") return;
      serverEventSchema.parse(message.event);
      told.push({ account, call: message.event });
    });
  const calls = new ClientCalls({ hub, connected: (account) => connected.has(account) });
  const call = (given: Partial<ClientToolCall> = {}) =>
    calls.call({
      account: "me",
      use: { id: "the-model's", name: "look_up", arguments: { order: 42 } },
      correlationId: "c1",
      timeoutMs: 5_000,
      signal: new AbortController().signal,
      ...given,
    });
  const problem = (pending: Promise<unknown>) =>
    pending.then(
      () => "answered",
      (error: unknown) => (error instanceof ClientToolError ? error.message : error),
    );
  return { calls, call, connected, told, problem };
}

afterEach(() => {
  vi.useRealTimers();
});

test("the account's sockets are told, and the first answer of the account counts, once", async () => {
  const { calls, call, told } = setUp();
  const pending = call();
  expect(told).toEqual([
    {
      account: "me",
      call: {
        type: "tool_call",
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "look_up",
        arguments: { order: 42 },
        correlationId: "c1",
      },
    },
  ]);
  const id = told[0]?.call.id ?? "";
  expect(calls.answer("them", id, "stolen")).toBe(false);
  expect(calls.answer("me", "the-model's", "guessed")).toBe(false);
  expect(calls.answer("me", "__proto__", "guessed")).toBe(false);
  expect(calls.answer("me", id, { state: "sent" })).toBe(true);
  expect(calls.answer("me", id, "again")).toBe(false);
  expect(await pending).toEqual({ state: "sent" });
  expect(calls.size).toBe(0);
});

test("answers find their calls in any order", async () => {
  const { calls, call, told } = setUp();
  const pending = [call(), call(), call()];
  expect(new Set(told.map((each) => each.call.id)).size).toBe(3);
  for (const [index, each] of told.entries())
    calls.answer("me", told.at(-1 - index)?.call.id ?? "", each.call.id);
  expect(await Promise.all(pending)).toEqual(told.map((each) => each.call.id).toReversed());
});

test("with nobody connected a call fails at once", async () => {
  const { calls, call, connected, problem } = setUp();
  connected.delete("me");
  expect(await problem(call())).toContain("Nobody is connected");
  expect(() =>
    calls.tell({ account: "me", use: { id: "1", name: "x", arguments: {} }, correlationId: null }),
  ).toThrow(ClientToolError);
  expect(calls.size).toBe(0);
});

test("time runs out, and an answer after it is dropped", async () => {
  vi.useFakeTimers();
  const { calls, call, told, problem } = setUp();
  const pending = problem(call());
  await vi.advanceTimersByTimeAsync(4_999);
  expect(calls.size).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await pending).toBe("The tool did not answer within 5 seconds.");
  expect(calls.answer("me", told[0]?.call.id ?? "", "late")).toBe(false);
  expect(calls.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("an interrupt ends the wait, also of a call that has not begun", async () => {
  const { calls, call, told, problem } = setUp();
  const controller = new AbortController();
  const pending = problem(call({ signal: controller.signal }));
  controller.abort();
  expect(await pending).toBe("The call was interrupted.");
  expect(await problem(call({ signal: controller.signal }))).toBe("The call was interrupted.");
  expect(told).toHaveLength(1);
  expect(calls.size).toBe(0);
});

test("when the last socket goes the wait ends, unless one is back soon", async () => {
  vi.useFakeTimers();
  const { calls, call, connected, told, problem } = setUp();
  const [lost, other] = [problem(call()), call({ account: "them" })];
  connected.delete("me");
  calls.left("me");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await lost).toContain("Nobody is connected");
  expect(calls.size).toBe(1);

  connected.add("me");
  const kept = call();
  connected.delete("me");
  calls.left("me");
  await vi.advanceTimersByTimeAsync(500);
  connected.add("me");
  await vi.advanceTimersByTimeAsync(1_000);
  for (const { account, call: each } of told) calls.answer(account, each.id, "here");
  expect(await Promise.all([kept, other])).toEqual(["here", "here"]);
  expect(vi.getTimerCount()).toBe(0);
});
