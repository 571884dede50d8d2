import { expect, test } from "vitest";
import { Conversation, Conversations } from "./conversation.ts";

test("what was never heard was never said", () => {
  const conversation = new Conversation();
  conversation.append("user", "Hi");
  const reply = conversation.append("assistant", "Hello there. How are you?");
  conversation.trim(reply, "Hello there.");
  expect(conversation.messages().at(-1)).toEqual({ role: "assistant", content: "Hello there." });
  conversation.trim(reply, " ");
  conversation.append("user", "Well?");
  expect(conversation.messages()).toEqual([{ role: "user", content: "Hi\nWell?" }]);
});

test("a model sees the newest part, beginning with the user", () => {
  const conversation = new Conversation();
  for (let turn = 0; turn < 300; turn++) {
    conversation.append("user", `question ${turn} ${"x".repeat(500)}`);
    conversation.append("assistant", `answer ${turn}`);
  }
  const messages = conversation.messages();
  expect(messages[0]?.role).toBe("user");
  expect(messages.at(-1)?.content).toBe("answer 299");
  expect(messages.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(60_000);
});

test("conversations are kept per account and forgotten oldest first", () => {
  const conversations = new Conversations();
  const first = conversations.of("first");
  expect(conversations.of("first")).toBe(first);
  for (let account = 0; account < 500; account++) conversations.of(`account ${account}`);
  expect(conversations.of("first")).not.toBe(first);
  expect(conversations.reset("nobody")).toBeNull();
});
