import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scrub } from "./log.ts";

describe("scrubbing", () => {
  const address = "somebody.or.other@mail.example.com";
  const secrets: [name: string, secret: string][] = [
    ["a key", `vv_live_${"a".repeat(43)}`],
    ["a token in a query", `?session_token=${"b".repeat(60)}`],
    ["an identity token", `eyJ${"h".repeat(40)}.eyJ${"p".repeat(1500)}.${"s".repeat(300)}`],
    ["an address", address],
    ["the longest address", `${"l".repeat(64)}@${"d".repeat(185)}.test`],
  ];

  test.each(secrets)("shows no part of %s, wherever the text is cut", (_name, secret) => {
    const telling = secret.replace(/^(?:vv_live_|\?session_token=)/, "");
    for (let at = 0; at < 1400; at += 1) {
      const text = scrub(`${"x ".repeat(700).slice(0, at)} ${secret} ${"y ".repeat(700)}`);
      for (const part of [telling.slice(0, 8), telling.slice(-8)]) expect(text).not.toContain(part);
    }
  });

  test("keeps about 1 KiB, of one long word as well", () => {
    for (const piece of ["x ", "-eyJ", "a", "a@", "?token=", "."]) {
      const text = scrub(`/start/${piece.repeat(65_536 / piece.length)}`);
      expect(text.length).toBeLessThanOrEqual(1025);
    }
    const path = `/start/${"a".repeat(60_000)}`;
    expect(scrub(path)).toBe(`${path.slice(0, 1024)}…`);
    expect(scrub(path.slice(0, 1280))).toBe(path.slice(0, 1280));
  });

  test("cuts the same as it hides the whole", () => {
    const pieces = fc.constantFrom("a", "@", ".", " ", "-", "eyJ", "vv_tmp_", "?token=", "&", '"', "<");
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 400, maxLength: 700 }), (parts) => {
        const line = parts.join("");
        const cut = scrub(line).replace(/…$/, "");
        // Short texts are hidden whole: what is kept of a long one must be a beginning of that.
        const whole = line
          .split(/(?<= )/)
          .map(scrub)
          .join("");
        expect(whole.startsWith(cut)).toBe(true);
      }),
    );
  });
});
