import { describe, expect, it } from "vitest";
import { withTags } from "./tag-input.tsx";

const few = { maxTags: 3, maxChars: 5 };

describe("withTags", () => {
  it.each([
    [["a"], " b ", ["a", "b"]],
    [["a"], "b,c", ["a", "b", "c"]],
    [["a"], "A", ["a"]],
    [["a"], " , ", ["a"]],
    [["a"], "abcdefgh", ["a", "abcde"]],
    [["a", "b", "c"], "d", ["a", "b", "c"]],
  ])("%j and %j", (tags, typed, result) => {
    expect(withTags(tags, typed, few)).toEqual(result);
  });
});
