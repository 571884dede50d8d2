import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";

test("fields that name a secret are never written out", () => {
  let text = "";
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const log = createLog("info", destination);
  const secret = "open-sesame";
  log.info({ token: secret, session_token: secret, apiKey: secret, cookie: secret }, "event");
  log.info({ headers: { "x-api-key": secret, authorization: `Bearer ${secret}` } }, "event");
  log.info({ portal: { secret, url: "http://portal.example" } }, "event");
  expect(text).not.toContain(secret);
  expect(text).toContain("http://portal.example");
  expect(text.trim().split("\n")).toHaveLength(3);
});
