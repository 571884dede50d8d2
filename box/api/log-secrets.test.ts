// A key ends up wherever a careless caller puts it; in the log it does not.

import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOf } from "../access/caller.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

const key = `vv_live_${"S".repeat(43)}`;
const token = `vv_tmp_${"T".repeat(43)}`;
const secrets = [key, token, "sk-provider-key-0123456789", "p4ssw0rd-of-somebody"];

let box: TestBox;
beforeAll(async () => {
  box = await startTestBox({ SERVICE_API_KEYS: key });
});
afterAll(() => box.close());

const form = (filename: string, part = "file") => {
  const data = new FormData();
  data.set(part, new Blob(["no sound, no picture"], { type: "audio/wav" }), filename);
  return data;
};

/** Sent as it is: fetch would tidy it up. */
function raw(path: string, headers: Record<string, string>, upgrade = false): Promise<number> {
  return new Promise((resolve, reject) => {
    const handshake = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
    const asked = request(box.url + path, { headers: { ...headers, ...(upgrade ? handshake : {}) } });
    asked.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once("error", reject);
    asked.end();
  });
}

const ways: [way: string, send: (secret: string) => Promise<unknown>][] = [
  ["a query", (secret) => box.ask(`/api/avatars?api_key=${secret}&session_token=${secret}`, { key })],
  ["the query of /connect", (secret) => box.ask(`/connect?session_token=${secret}`, { method: "POST", key })],
  ["the query of a socket", (secret) => raw(`/api/session/ws?session_token=${secret}`, {}, true)],
  [
    "every header",
    (secret) =>
      raw("/api/chat/status", {
        "X-Api-Key": secret,
        Authorization: `Bearer ${secret}`,
        Cookie: `vv_session=${secret}`,
        "User-Agent": secret,
        Referer: `https://page.example/?key=${secret}`,
        // What a caller names its request by is told back and logged, unless it looks like one of our own.
        ...(secret.startsWith("vv_") ? { "X-Request-Id": secret } : {}),
        Origin: `https://${secret.toLowerCase()}.example`,
      }),
  ],
  ["a bearer that is none", (secret) => raw("/api/avatars", { Authorization: `Basic ${secret}` })],
  ["a file's name", (secret) => box.ask("/api/upload", { key, body: form(`${secret}.wav`) })],
  ["a part's name", (secret) => box.ask("/api/upload", { key, body: form("a.wav", secret) })],
  ["the name of a picture", (secret) => box.ask("/api/avatar", { key, body: form(`${secret}.png`) })],
  [
    "a body",
    (secret) => box.ask("/api/chat", { key, body: { message: "hello", voice: secret, api_key: secret } }),
  ],
  ["a field's name", (secret) => box.ask("/api/settings", { key, body: { [secret]: 1 } })],
  ["a body that is no JSON", (secret) => box.ask("/api/talk", { key, body: `{"text": ${secret}` })],
  ["an offer", (secret) => box.ask("/connect", { key, body: { sdp: secret, type: "offer" } })],
];

test.each(ways)("not by %s", async (_, send) => {
  for (const secret of secrets) await send(secret);
  await expect.poll(() => box.logged.length).toBeGreaterThan(0);
  const text = JSON.stringify(box.logged);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text.includes(digestOf(key))).toBe(false);
});

test("nor by a path, whatever it is asked for; what is no secret is still told", async () => {
  for (const path of [`/api/models/${key}/status`, `/connect/${token}`, `/${key}`])
    await box.ask(path, { key });
  await raw(`/api/${token}/ws`, {}, true);
  const id = "request-0123456789";
  await raw("/api/avatars", { "X-Api-Key": key, "X-Request-Id": id });
  await expect
    .poll(() => box.logged.find(({ request_id: logged }) => logged === id))
    .toMatchObject({ path: "/api/avatars", status: 200, method: "GET" });
  const text = JSON.stringify(box.logged);
  expect([key, token].filter((secret) => text.includes(secret))).toEqual([]);
  expect(text.includes("/api/models/[redacted]/status")).toBe(true);
});
