import { describe, expect, it } from "vitest";
import {
  captionAt,
  type Captions,
  clauseAdded,
  cleared,
  noCaptions,
  voiceEnded,
  voiceStarted,
  wholeText,
} from "./captions.ts";

/** Three clauses of 14 characters each, that is 15 with the space: a second apiece at the initial pace. */
function threeClauses(): Captions {
  let captions = noCaptions;
  for (const text of ["First clause, ", "second clause,", "third clause.."]) {
    captions = clauseAdded(captions, "c", text.padEnd(14, "."));
  }
  return captions;
}

describe("captions", () => {
  it("show nothing before the voice begins, however early the clauses come", () => {
    expect(captionAt(threeClauses(), 1e9)).toEqual({ text: null, changesAtMs: null });
  });

  it("follow the voice clause by clause, and stay on the last until it ends", () => {
    const captions = voiceStarted(threeClauses(), "c", 10_000);
    const first = captionAt(captions, 10_000);
    expect(first.text).toMatch(/^First/);
    expect(captionAt(captions, first.changesAtMs! - 1).text).toMatch(/^First/);
    const second = captionAt(captions, first.changesAtMs!);
    expect(second.text).toMatch(/^second/);
    expect(captionAt(captions, second.changesAtMs!)).toEqual({ text: "third clause..", changesAtMs: null });
    expect(captionAt(captions, 60_000).text).toMatch(/^third/);
  });

  it("hold the last words a moment after the voice, then clear", () => {
    const captions = voiceEnded(voiceStarted(threeClauses(), "c", 0), "c", 3000);
    const { text, changesAtMs } = captionAt(captions, 3000);
    expect(text).toMatch(/^third/);
    expect(captionAt(captions, changesAtMs!).text).toBeNull();
  });

  it("learn how fast the voice is, and keep it for the next utterance", () => {
    const slow = voiceEnded(voiceStarted(threeClauses(), "c", 0), "c", 5000);
    expect(slow.charsPerSecond).toBeLessThan(noCaptions.charsPerSecond);
    const next = voiceStarted(clauseAdded(slow, "d", "Hello again."), "d", 9000);
    expect(next.clauses).toEqual(["Hello again."]);
    expect(next.charsPerSecond).toBe(slow.charsPerSecond);
    expect(cleared(next).charsPerSecond).toBe(slow.charsPerSecond);
  });

  it("learn nothing from a word, and nothing absurd from a wrong clock", () => {
    const word = voiceEnded(voiceStarted(clauseAdded(noCaptions, "c", "Yes."), "c", 0), "c", 4000);
    expect(word.charsPerSecond).toBe(noCaptions.charsPerSecond);
    let captions = noCaptions;
    for (let count = 0; count < 50; count++) {
      captions = voiceEnded(
        voiceStarted(clauseAdded(captions, `${count}`, "x".repeat(900)), `${count}`, 0),
        `${count}`,
        600,
      );
    }
    expect(captions.charsPerSecond).toBeLessThanOrEqual(30);
  });

  it("ignore the end of an utterance that is not theirs", () => {
    const captions = voiceStarted(threeClauses(), "c", 0);
    expect(voiceEnded(captions, "other", 100)).toBe(captions);
  });

  it("cut a text that comes whole at its sentences, unless its clauses came first", () => {
    const text = 'He said: "Stop!" Then it rained… A lot.';
    expect(wholeText(noCaptions, "c", text).clauses).toEqual([
      'He said: "Stop!"',
      "Then it rained…",
      "A lot.",
    ]);
    expect(wholeText(noCaptions, "c", "no end").clauses).toEqual(["no end"]);
    expect(wholeText(threeClauses(), "c", text).clauses).toHaveLength(3);
  });
});
