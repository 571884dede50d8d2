import { expect, it } from "vitest";
import { idFromRest } from "./rest.ts";

it.each([
  ["ses_1", "ses_1"],
  [encodeURIComponent("a/b c"), "a/b c"],
  ["100%", "100%"],
  ["", ""],
])("%s → %s", (rest, id) => expect(idFromRest(rest)).toBe(id));
