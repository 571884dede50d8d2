// What counts as the portal's own word, and what does not.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createLog } from "../ops/log.ts";
import { PortalClient, PortalError } from "./client.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const error = (code: string) => JSON.stringify({ error: { code, message: "No." } });

/** Something that answers reports in turn, and then takes them. */
async function start(answers: [number, string][]) {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      const [status, body] = answers[asked++] ?? [200, '{"ok":true}'];
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = new PortalClient({
    url: `http://127.0.0.1:${port}`,
    secret: "secret",
    models: [],
    log: createLog("silent"),
  });
  closing.push(() => client.close());
  const report = () =>
    client.reportSession({
      session_id: "s1",
      account: "ann@example.org",
      kind: "api",
      avatar_id: "maya",
      started_at: 1,
      ended_at: null,
      end_reason: null,
      turns: 0,
    });
  return { client, report, asked: () => asked };
}

test.each<[string, [number, string]]>([
  ["a page of a proxy", [404, "<html>Not found</html>"]],
  ["another service", [400, '{"error":"bad request"}']],
  ["a code that nobody knows", [404, error("no_such_thing")]],
  ["a code of another status", [403, error("session_not_found")]],
  ["an address that the portal does not know", [404, error("not_found")]],
  ["a box that it does not know", [401, '{"code":"invalid_api_key","message":"No."}']],
  ["too many at once", [429, error("rate_limited")]],
  ["a store that is out", [503, error("sessions_unavailable")]],
])("%s drops no report", async (_label, answer) => {
  const { client, report, asked } = await start([answer]);
  report();
  await expect.poll(asked).toBe(1);
  expect(client.sessionKept("s1")).toBe(false);
  await client.reported();
  expect(asked()).toBe(2);
  expect(client.sessionKept("s1")).toBe(true);
});

test.each([
  [404, "session_not_found"],
  [400, "invalid_body"],
  [413, "body_too_large"],
])("%d %s of the portal is its last word, and no session is kept for it", async (status, code) => {
  const { client, report, asked } = await start([[status, error(code)]]);
  report();
  await client.reported();
  expect([asked(), client.sessionKept("s1")]).toEqual([1, false]);
});

test("an answer that is no report's does not say that a session is known", async () => {
  const { client, report } = await start([[200, "<html>Welcome</html>"]]);
  report();
  await client.reported();
  expect(client.sessionKept("s1")).toBe(false);
});

test.each<[number, unknown, string | null, boolean, boolean]>([
  [404, JSON.parse(error("session_not_found")), "session_not_found", true, false],
  [409, JSON.parse(error("terms_outdated")), "terms_outdated", true, false],
  [404, JSON.parse(error("not_found")), "not_found", false, true],
  [404, null, null, false, false],
  [500, null, null, false, true],
  [500, JSON.parse(error("internal")), "internal", false, true],
  [503, JSON.parse(error("media_unavailable")), "media_unavailable", false, false],
])("%d with %j", (status, body, code, refused, stumbled) => {
  expect(new PortalError("/path", status, body)).toMatchObject({ code, refused, stumbled });
});
