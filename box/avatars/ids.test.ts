import { describe, expect, it } from "vitest";
import { AvatarError } from "./errors.ts";
import { AVATAR_ID, displayName, filenameId, slug, uniqueId } from "./ids.ts";

describe("ids", () => {
  it.each([
    ["Zoë Ångström", "zoe-angstrom"],
    ["  --Mr. T!--  ", "mr-t"],
    ["田中", "avatar"],
    ["../../etc/passwd", "etc-passwd"],
    ["neutral__happy", "neutral-happy"],
    ["x".repeat(200), "x".repeat(40)],
    [`${"y".repeat(39)} z`, "y".repeat(39)],
  ])("writes %j as %j", (text, wanted) => {
    expect(slug(text)).toBe(wanted);
  });

  it("never repeats a taken id", () => {
    const taken = new Set<string>();
    for (let index = 0; index < 200; index += 1) {
      const id = uniqueId("Same", (candidate) => taken.has(candidate));
      expect(taken.has(id)).toBe(false);
      expect(id).toMatch(AVATAR_ID);
      taken.add(id);
    }
  });

  it("tells accounts and file names apart, and nothing else", () => {
    const id = filenameId("ann@example.com", "me.png");
    expect(filenameId("ann@example.com", "me.png")).toBe(id);
    expect(id).toMatch(AVATAR_ID);
    expect(filenameId("ben@example.com", "me.png")).not.toBe(id);
    expect(filenameId("ann@example.com", "me.jpg")).not.toBe(id);
  });
});

describe("displayName", () => {
  it("comes from the file where no name is given", () => {
    expect(displayName(undefined, "C:\\Users\\ann\\Holiday 3.jpeg")).toBe("Holiday 3");
    expect(displayName(undefined, ".png")).toBe("Avatar");
    expect(displayName(" Ann ", "x.png")).toBe("Ann");
  });

  it.each(["", "   ", "a\nb", "x".repeat(81)])("refuses %j", (name) => {
    expect(() => displayName(name, "x.png")).toThrow(AvatarError);
  });
});
