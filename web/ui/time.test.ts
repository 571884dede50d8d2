import { describe, expect, it } from "vitest";
import { formatAgo, formatDate, formatDuration } from "./time.ts";

const now = 1_800_000_000;

describe("formatAgo", () => {
  it.each([
    [0, "just now"],
    [44, "just now"],
    [60, "1 minute ago"],
    [5 * 60, "5 minutes ago"],
    [3600, "1 hour ago"],
    [24 * 3600, "yesterday"],
    [3 * 24 * 3600, "3 days ago"],
    [-3600, "in 1 hour"],
  ])("%i seconds", (passed, words) => {
    expect(formatAgo(now - passed, now)).toBe(words);
  });

  it("names the date once it is longer than a week ago", () => {
    expect(formatAgo(now - 8 * 24 * 3600, now)).toBe(formatDate(now - 8 * 24 * 3600));
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0:00"],
    [42.4, "0:42"],
    [725, "12:05"],
    [3723, "1:02:03"],
    [-5, "0:00"],
  ])("%d seconds", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
