import { describe, expect, it } from "vitest";
import { avatarRecord } from "../avatars/testing/records.ts";
import { nameOf, readAvatarNames } from "./avatar-names.ts";

describe("avatar names", () => {
  it("come from the library, and are ids read as words where it has none or cannot be read", async () => {
    const names = await readAvatarNames({ own: async () => [avatarRecord("a1", { display_name: "Ada" })] });
    expect(nameOf(names, "a1")).toBe("Ada");
    expect(nameOf(names, "maya")).toBe("Maya");
    const none = await readAvatarNames({ own: () => Promise.reject(new Error("down")) });
    expect(nameOf(none, "a1")).toBe("A1");
  });
});
