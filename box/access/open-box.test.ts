// What an open box lets in: its own machine by its own names, and no page that only found the way here.

import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

let open: TestBox;
let keyed: TestBox;
beforeAll(async () => {
  [open, keyed] = await Promise.all([startTestBox({ SERVICE_API_KEYS: "" }), startTestBox()]);
});
afterAll(() => Promise.all([open.close(), keyed.close()]));

const upgrade = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** The status of a request, by whatever name it comes; 101 for an upgrade that is let in. */
function statusOf(box: TestBox, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(box.url + path, { headers });
    asked.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    asked.once("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.once("error", reject);
    asked.end();
  });
}

const foreign = [
  "rebound.example",
  "rebound.example:8788",
  "localhost.rebound.example",
  "127.0.0.1.rebound.example",
  "192.168.1.7:8788",
  "0.0.0.0",
  "[fe80::1]",
];

test.each(foreign)("as %j it is nobody's, page nor socket", async (host) => {
  for (const path of ["/", "/health", "/api/avatars"])
    expect(await statusOf(open, path, { Host: host })).toBe(409);
  for (const path of ["/api/session/ws", "/api/voice/ws"])
    expect(await statusOf(open, path, { Host: host, ...upgrade })).toBe(409);
});

test.each(["localhost", "LOCALHOST:8788", "box.localhost", "127.0.0.1:8788", "127.8.8.8", "[::1]:8788"])(
  "as %s it answers",
  async (host) => {
    expect(await statusOf(open, "/api/avatars", { Host: host })).toBe(200);
    expect(await statusOf(open, "/api/session/ws", { Host: host, ...upgrade })).toBe(101);
  },
);

test("as nothing at all it is nobody's either", async () => {
  const { port } = new URL(open.url);
  const socket = connect(Number(port), "127.0.0.1", () => socket.end("GET /api/avatars HTTP/1.0\r\n\r\n"));
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

test("a box with keys is reached by any name", async () => {
  expect(await statusOf(keyed, "/health", { Host: "box-01.example.com" })).toBe(200);
});
