import { describe, expect, it } from "vitest";
import * as conversation from "./conversation.ts";

const clause = (content: string, correlationId = "c", contentIndex = 0) => ({
  id: "m",
  role: "persona" as const,
  content,
  contentIndex,
  endOfSpeech: false,
  tone: "neutral" as const,
  correlationId,
});
const closing = (content: string, correlationId = "c") => ({
  id: "m",
  role: "persona" as const,
  content,
  tone: "neutral" as const,
  avatar: "maya",
  correlationId,
});
const echo = (content: string, correlationId: string | null = "c") => ({
  id: "u",
  role: "user" as const,
  content,
  correlationId,
});

const asked = () => conversation.sent([], { text: "Who are you?", correlationId: "c", mode: "message" });

describe("a turn", () => {
  it("goes from sent to answered, and the closing message has the last word", () => {
    let turns = asked();
    expect(conversation.isThinking(turns)).toBe(true);
    turns = conversation.heard(turns, echo("Who are you?"));
    expect(turns).toHaveLength(1);
    turns = conversation.clauseArrived(turns, clause("I am"));
    turns = conversation.clauseArrived(turns, clause("Maya.", "c", 1));
    expect(turns[1]).toMatchObject({ who: "face", text: "I am Maya.", state: "speaking" });
    expect(conversation.isThinking(turns)).toBe(false);
    turns = conversation.replyClosed(turns, closing("I am Maya, a rehearsal."));
    turns = conversation.speechEnded(turns, { correlationId: "c" });
    expect(turns.map(({ text, state }) => [text, state])).toEqual([
      ["Who are you?", "done"],
      ["I am Maya, a rehearsal.", "done"],
    ]);
  });

  it("stays interrupted, whatever still arrives of it", () => {
    let turns = conversation.clauseArrived(asked(), clause("I was going to say"));
    turns = conversation.interrupted(turns);
    turns = conversation.speechEnded(turns, { correlationId: "c" });
    turns = conversation.replyClosed(turns, closing("I was going to"));
    expect(turns[1]).toMatchObject({ text: "I was going to", state: "interrupted" });
  });

  it("shows words to be said exactly once, whole, as the face's", () => {
    let turns = conversation.sent([], { text: "One. Two.", correlationId: "t", mode: "talk" });
    turns = conversation.clauseArrived(turns, clause("One.", "t"));
    turns = conversation.clauseArrived(turns, clause("Two.", "t", 1));
    turns = conversation.replyClosed(turns, closing("One. Two.", "t"));
    expect(turns).toHaveLength(1);
    expect(turns[0]).toMatchObject({ who: "face", exact: true, text: "One. Two.", state: "speaking" });
    expect(conversation.isThinking(turns)).toBe(false);
  });

  it("may come from elsewhere: another tab, or the microphone", () => {
    const turns = conversation.replyClosed(conversation.heard([], echo("Hello", null)), closing("Hi.", "x"));
    expect(turns.map(({ who, text }) => [who, text])).toEqual([
      ["you", "Hello"],
      ["face", "Hi."],
    ]);
  });

  it("that fails is marked, with the reason under it", () => {
    const turns = conversation.noticed(conversation.settled(asked(), "failed"), "The model failed.");
    expect(turns.map(({ who, state }) => [who, state])).toEqual([
      ["you", "failed"],
      ["notice", "done"],
    ]);
    expect(conversation.isThinking(turns)).toBe(false);
  });
});

describe("spoken turns", () => {
  it("without a name of their own stay apart, and each reply finds its own words", () => {
    let turns = conversation.heard([], echo("One?", null));
    turns = conversation.replyClosed(turns, { ...closing("First.", "x"), id: "r1", correlationId: null });
    turns = conversation.speechEnded(turns, { correlationId: null });
    turns = conversation.heard(turns, { ...echo("Two?", null), id: "u2" });
    const part = { ...clause("Second"), id: "r2", correlationId: null };
    turns = conversation.clauseArrived(turns, part);
    turns = conversation.clauseArrived(turns, { ...part, content: "reply." });
    expect(turns.map(({ text, state }) => [text, state])).toEqual([
      ["One?", "done"],
      ["First.", "done"],
      ["Two?", "done"],
      ["Second reply.", "speaking"],
    ]);
    turns = conversation.speechEnded(turns, { correlationId: null });
    expect(turns.at(-1)?.state).toBe("done");
  });

  it("that end in an action close without words, and show none", () => {
    const turns = conversation.replyClosed(asked(), closing(""));
    expect(turns.map(({ who, state }) => [who, state])).toEqual([["you", "unanswered"]]);
    expect(conversation.isThinking(turns)).toBe(false);
  });

  it("may have no answer, and nobody waits for it then", () => {
    const spoken = conversation.heard([], echo("Never mind.", null));
    expect(conversation.isThinking(spoken)).toBe(true);
    expect(conversation.isThinking(conversation.unanswered(spoken))).toBe(false);
    expect(conversation.isThinking(conversation.noted(spoken, "No answer."))).toBe(false);
    expect(conversation.isThinking(conversation.unanswered(asked()))).toBe(true);
  });
});

describe("the transcript", () => {
  it("keeps the newest two hundred turns, each with a key of its own", () => {
    let turns: conversation.Turn[] = [];
    for (let count = 0; count < 250; count++) {
      turns = conversation.sent(turns, { text: `${count}`, correlationId: `${count}`, mode: "message" });
      turns = conversation.noticed(turns, "again");
    }
    expect(turns).toHaveLength(200);
    expect(turns.at(-2)?.text).toBe("249");
    expect(new Set(turns.map(({ key }) => key)).size).toBe(200);
  });

  it("joins clauses with one space", () => {
    expect(conversation.joinClauses("", "a")).toBe("a");
    expect(conversation.joinClauses("a", "b")).toBe("a b");
    expect(conversation.joinClauses("a ", "b")).toBe("a b");
    expect(conversation.joinClauses("a", " b")).toBe("a b");
  });
});
