import { beforeEach, describe, expect, it, vi } from "vitest";
import { rememberPath, resumePath, takePath } from "./return-path.ts";

const items = new Map<string, string>();
const storage = {
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
};
beforeEach(() => items.clear());

describe("the path of somebody who has to sign in first", () => {
  it("is kept once, and for as long as a sign-in link lives", () => {
    rememberPath("/sessions/abc", storage, 0);
    expect(takePath(storage, 900_000)).toBe("/sessions/abc");
    expect(takePath(storage, 900_000)).toBeNull();
    rememberPath("/keys", storage, 0);
    expect(takePath(storage, 900_001)).toBeNull();
  });

  it("is not the front door, which everybody comes to anyway", () => {
    rememberPath("/", storage, 0);
    expect(items.size).toBe(0);
  });

  it.each([
    "nonsense",
    "null",
    '{"path":5,"untilMs":9}',
    '{"path":"//keys","untilMs":9}',
    '{"path":"/nothing","untilMs":9}',
  ])("is nothing that storage makes up: %s", (kept) => {
    items.set("visavis.return", kept);
    expect(takePath(storage, 1)).toBeNull();
  });

  it("is gone on to from the front door only", () => {
    const replaceState = vi.fn();
    rememberPath("/keys", storage);
    resumePath({ location: { pathname: "/" }, history: { replaceState } }, storage);
    expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, "", "/keys");
    rememberPath("/keys", storage);
    resumePath({ location: { pathname: "/voices" }, history: { replaceState } }, storage);
    expect(replaceState).toHaveBeenCalledOnce();
    expect(items.size).toBe(0);
  });
});
