import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestBox, type TestBox } from "../testing/test-box.ts";
import { Life, type LifeOptions } from "./life.ts";

/** Longer than any test waits. */
const never = 600_000;

let box: TestBox;
let exited: PromiseWithResolvers<number>;

beforeEach(async () => {
  box = await startTestBox();
  exited = Promise.withResolvers();
});

afterEach(() => box.close());

const lifeOf = (options: Partial<LifeOptions> = {}) =>
  new Life({
    // Its clients stay where they are.
    box: { services: box.services, drain: box.drain, close: box.end },
    log: box.services.log,
    exit: exited.resolve,
    graceMs: never,
    patienceMs: never,
    ...options,
  });

/** Starts a life that is over at once, and resolves when the box has begun to drain. */
async function outlive(options: Partial<LifeOptions> = {}): Promise<Life> {
  const life = lifeOf(options);
  life.start(0.001);
  await expect.poll(() => box.services.slot.state).toBe("draining");
  return life;
}

const reasons = () => box.logged.filter(({ msg }) => msg === "session ended").map(({ reason }) => reason);

test("a box that nobody is on ends as soon as its life or its operator says so", async () => {
  await outlive();
  expect(await exited.promise).toBe(0);
});

test("a signal ends it just the same, and a defect ends it with a failure", async () => {
  lifeOf().end("SIGTERM");
  expect(await exited.promise).toBe(0);
  const other = await startTestBox();
  try {
    const failed = Promise.withResolvers<number>();
    new Life({ box: other, log: other.services.log, exit: failed.resolve }).end("defect", 1);
    expect(await failed.promise).toBe(1);
  } finally {
    await other.close();
  }
});

test("0 seconds are no life's length", async () => {
  lifeOf().start(0);
  await box.connect();
  expect(box.services.slot.state).toBe("busy");
});

test("at the end of its life a box takes nobody else, tells who is on it, and waits for them to leave", async () => {
  const { session_id: id } = await box.connect();
  const socket = await box.socket();
  await outlive();
  expect(await socket.next("warning")).toEqual({
    type: "warning",
    message: "This box takes no more sessions; yours ends in 10 minutes at the latest.",
  });
  const refused = await box.ask("/connect", { body: { sdp: "v=0\r\n", type: "offer" } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).not.toBeNull();
  expect(box.services.slot.current?.id).toBe(id);
  expect((await box.ask("/health")).status).toBe(200);
  await box.ask("/disconnect", { method: "POST" });
  expect(await exited.promise).toBe(0);
  expect(reasons()).toEqual(["disconnected"]);
});

test("it does not wait for ever", async () => {
  await box.connect();
  await outlive({ patienceMs: 1, graceMs: 1 });
  expect(await exited.promise).toBe(0);
  expect(reasons()).toEqual(["box_shutdown"]);
});

test("a signal gives a session its grace, and says so; its socket is told why it closes", async () => {
  await box.connect();
  const socket = await box.socket();
  lifeOf({ graceMs: 1_000 }).end("SIGTERM");
  expect(box.services.slot.state).toBe("draining");
  expect(await socket.next("warning")).toEqual({
    type: "warning",
    message: "The box is shutting down; this session ends in a second.",
  });
  expect(await socket.next("error")).toEqual({
    type: "error",
    error: "The box is shutting down.",
    fatal: true,
  });
  expect((await socket.closed).code).toBe(1001);
  expect(await exited.promise).toBe(0);
  expect(reasons()).toEqual(["box_shutdown"]);
});

test("who leaves within the grace is not waited for", async () => {
  await box.connect();
  lifeOf().end("SIGTERM");
  await box.ask("/disconnect", { method: "POST" });
  expect(await exited.promise).toBe(0);
  expect(reasons()).toEqual(["disconnected"]);
});

test("a second signal ends it at once, and so does a defect", async () => {
  await box.connect();
  const life = lifeOf();
  life.end("SIGTERM");
  life.end("SIGTERM");
  expect(await exited.promise).toBe(0);
  expect(reasons()).toEqual(["box_shutdown"]);
});

test("a signal while it waits at the end of its life cuts the wait short", async () => {
  await box.connect();
  const socket = await box.socket();
  const life = await outlive({ graceMs: 1 });
  await socket.next("warning");
  life.end("SIGTERM");
  expect(await exited.promise).toBe(0);
  expect(reasons()).toEqual(["box_shutdown"]);
});

test("a box that does not close cleanly says so with its exit", async () => {
  const { services, drain } = box;
  const broken = { services, drain, close: () => Promise.reject(new Error("stuck")) };
  lifeOf({ box: broken }).end("SIGTERM");
  expect(await exited.promise).toBe(1);
});
