import { createHmac } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HttpClipGenerator } from "./http-generator.ts";

const secret = "the-secret-of-this-test";
let server: Server;
let folder: string;
let answer: (response: ServerResponse) => void;
const received: { method: string | undefined; headers: IncomingMessage["headers"]; body: string }[] = [];

beforeEach(async () => {
  received.length = 0;
  answer = (response) => response.end("an MP4");
  folder = await mkdtemp(join(tmpdir(), "visavis-generator-"));
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push({ method: request.method, headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/clips`;
const generate = (
  { signal = new AbortController().signal, timeoutMs = 20_000 } = {},
  key: string | null = secret,
) =>
  new HttpClipGenerator({ url: url(), secret: key, timeoutMs }).generate({
    still: Buffer.from([0xff, 0xd8]),
    tone: "happy",
    amplitude: 0.4,
    seconds: 8,
    folder,
    signal,
  });

test("one signed request with the still, and the answer as a file", async () => {
  const path = await generate();
  expect(await readFile(path, "utf8")).toBe("an MP4");
  const [request] = received;
  expect(JSON.parse(request?.body ?? "")).toEqual({
    image: Buffer.from([0xff, 0xd8]).toString("base64"),
    image_type: "image/jpeg",
    tone: "happy",
    amplitude: 0.4,
    seconds: 8,
  });
  const [, seconds, digest] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request?.headers["x-signature"])) ?? [];
  expect(digest).toBe(createHmac("sha256", secret).update(`${seconds}.${request?.body}`).digest("hex"));
  await generate({}, null);
  expect(received[1]?.headers["x-signature"]).toBeUndefined();
});

test.each<[what: string, answer: (response: ServerResponse) => void]>([
  ["a refusal that repeats the secret", (response) => response.writeHead(500).end(secret)],
  ["a redirect", (response) => response.writeHead(302, { Location: "/elsewhere" }).end()],
  ["nothing", (response) => response.end()],
  ["half an answer", (response) => void response.writeHead(200, { "Content-Length": 10 }).write("half")],
])("%s is no clip, and leaves no file", async (_, how) => {
  answer = (response) => {
    how(response);
    setTimeout(() => response.destroy(), 20);
  };
  const error = await generate().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "clip_generator_unavailable" });
  expect(String(error)).not.toContain(secret);
  expect(await readdir(folder)).toEqual([]);
});

test("a generator that hangs is given up, by time and by whoever asked", async () => {
  answer = () => undefined;
  await expect(generate({ timeoutMs: 30 })).rejects.toMatchObject({ code: "clip_generator_unavailable" });
  const controller = new AbortController();
  const pending = generate({ signal: controller.signal });
  await expect.poll(() => received.length).toBe(2);
  controller.abort();
  await expect(pending).rejects.toMatchObject({ code: "clip_generator_unavailable" });
  expect(await readdir(folder)).toEqual([]);
});

test("it is reachable as long as it says anything that is not a gateway's excuse", async () => {
  const generator = new HttpClipGenerator({ url: url(), secret, reachableWithinMs: 2_000 });
  for (const [status, expected] of [
    [405, true],
    [200, true],
    [502, false],
    [503, false],
  ] as const) {
    answer = (response) => response.writeHead(status).end();
    expect([status, await generator.reachable()]).toEqual([status, expected]);
  }
  expect(received.every(({ method }) => method === "HEAD")).toBe(true);
  server.closeAllConnections();
  server.close();
  expect(await generator.reachable()).toBe(false);
});
