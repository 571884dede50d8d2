import { afterEach, beforeEach, expect, test } from "vitest";
import { serverEventSchema } from "../../contract/control-socket.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

test("the control socket hears of a goodbye after its last word, once, and nothing of other ends", async () => {
  await box.connect();
  const socket = await box.socket();
  box.model.reply = () => [
    "Goodbye, then. ",
    { case: "tool_use", use: { id: "use", name: "end_call", arguments: {} } },
  ];
  socket.send({ type: "message", content: "Bye." });
  expect(await socket.next("session_end")).toEqual({
    type: "session_end",
    reason: "ended_by_persona_request",
  });
  for (const event of socket.events) serverEventSchema.parse(event);
  const types = socket.events.map(({ type }) => type);
  expect(types.indexOf("session_end")).toBeGreaterThan(types.indexOf("avatar_speech_ended"));
  await expect.poll(() => box.services.slot.current).toBeNull();

  const { session_id } = await box.connect();
  await box.services.slot.current?.end("disconnected");
  await box.connect();
  box.model.reply = () => ["Still here."];
  socket.send({ type: "message", content: "And now?" });
  await socket.next("message");
  expect(session_id).toBeTruthy();
  expect(socket.events.filter(({ type }) => type === "session_end")).toHaveLength(1);
});
