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

test("a message that goes on is one with the one before, when the reply between them was not heard", () => {
  const conversation = new Conversation();
  conversation.append("user", "What is");
  const reply = conversation.append("assistant", "It is");
  conversation.append("user", "the time?");
  conversation.trim(reply, "");
  expect(conversation.messages()).toEqual([{ role: "user", content: "What is\nthe time?" }]);
});

test("a conversation is over after a day that nobody spent on it", () => {
  let now = 0;
  const conversations = new Conversations(() => now);
  const hour = 3600 * 1000;
  const first = conversations.of("first");
  conversations.of("second");
  now = 23 * hour;
  expect(conversations.of("first")).toBe(first);
  now = 25 * hour;
  expect(conversations.reset("second")).toBeNull();
  expect(conversations.size).toBe(1);
  now = 47 * hour;
  expect(conversations.of("first")).not.toBe(first);
});

test("what no model will be shown is not kept, and what was just said always is", () => {
  const conversation = new Conversation();
  for (let turn = 0; turn < 100; turn++) {
    conversation.append("user", "x".repeat(9_000));
    expect(conversation.chars).toBeLessThan(70_000);
  }
  expect(conversation.messages()[0]?.content.length).toBeGreaterThan(50_000);
  conversation.append("user", "y".repeat(100_000));
  expect(conversation.messages()).toEqual([{ role: "user", content: "y".repeat(100_000) }]);
});
