import { expect, test } from "vitest";
import { agent } from "../testing/fake-rooms.ts";
import { AgentChoice } from "./agent.ts";

test("one that is named is it, whether or not it is there", () => {
  const choice = new AgentChoice("agent-2");
  choice.joined(agent("agent-1"));
  expect(choice.is("agent-1")).toBe(false);
  expect(choice.is("agent-2")).toBe(true);
  choice.left("agent-2");
  expect(choice.identity).toBe("agent-2");
});

test("else it is the first agent, and neither a person nor another avatar", () => {
  const choice = new AgentChoice(null);
  expect(choice.identity).toBeNull();
  choice.joined({ identity: "ann", agent: false, avatar: false });
  choice.joined({ identity: "other-avatar", agent: true, avatar: true });
  expect(choice.identity).toBeNull();
  choice.joined(agent("agent-1"));
  choice.joined(agent("agent-2"));
  choice.joined(agent("agent-1"));
  expect(choice.identity).toBe("agent-1");
  choice.left("ann");
  choice.left("agent-1");
  expect(choice.identity).toBe("agent-2");
  choice.joined(agent("agent-1"));
  expect(choice.identity).toBe("agent-2");
});
