import { describe, expect, it } from "vitest";
import { matchPage, pages } from "./pages.tsx";

const admin = { admin: true };
const member = { admin: false };

describe("matchPage", () => {
  it("finds every page at its path", () => {
    for (const page of pages) expect(matchPage(page.path, admin)).toEqual({ page, rest: "" });
  });

  it("opens the studio at the root", () => {
    expect(matchPage("/", member)?.page.path).toBe("/studio");
  });

  it("hands a page what follows its path", () => {
    expect(matchPage("/sessions/abc", member)).toMatchObject({ page: { path: "/sessions" }, rest: "abc" });
    expect(matchPage("/sessions/", member)).toMatchObject({ page: { path: "/sessions" }, rest: "" });
  });

  it("hides the fleet from everybody but administrators", () => {
    expect(matchPage("/fleet", member)).toBeNull();
    expect(matchPage("/fleet", admin)?.page.path).toBe("/fleet");
  });

  it.each(["/nothing", "/key", "/keysmith", "/studio/more"])("knows nothing at %s", (path) => {
    expect(matchPage(path, admin)).toBeNull();
  });
});
