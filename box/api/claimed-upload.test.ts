import { readdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Refusal } from "../failure.ts";
import { fetchUpload } from "./claimed-upload.ts";
import { Spool } from "./spool.ts";

const signature = "X-Amz-Signature=5ecret";
let server: Server;
let stateDir: string;
/** What storage does, one request after another; the last one stays. */
let answers: ((response: ServerResponse) => void)[];
let asked: number;

beforeEach(async () => {
  asked = 0;
  stateDir = await mkdtemp(join(tmpdir(), "visavis-claimed-"));
  server = createServer((_, response) => {
    asked++;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(stateDir, { recursive: true });
});

const fetched = () =>
  Spool.use(stateDir, async (spool) => {
    const { port } = server.address() as AddressInfo;
    const claimUpload = () =>
      Promise.resolve({
        files: [
          {
            field: "file",
            filename: "me.mp4",
            content_type: "video/mp4",
            size: 5,
            url: `http://127.0.0.1:${port}/file?${signature}`,
          },
        ],
      });
    return fetchUpload({ portal: { claimUpload }, account: "a@b.c", uploadId: "u1", spool });
  });

const whole = (response: ServerResponse) => void response.end("bytes");
const broken = (response: ServerResponse) => {
  response.writeHead(200, { "Content-Length": 5 });
  response.write("by");
  setTimeout(() => response.destroy(), 10);
};

test("a file is fetched whole, however often its storage breaks off first", async () => {
  answers = [broken, (response) => void response.end("by"), whole];
  const [file] = await fetched();
  expect(file).toMatchObject({ field: "file", filename: "me.mp4", size: 5 });
  expect(asked).toBe(3);
});

test.each<[what: string, answer: (response: ServerResponse) => void, tries: number]>([
  ["that is gone", (response) => void response.writeHead(404).end(signature), 1],
  ["under a signature that has expired", (response) => void response.writeHead(403).end(), 1],
  ["that is larger than it was said to be", (response) => void response.end("more bytes"), 1],
  ["behind a redirect", (response) => void response.writeHead(302, { Location: "/x" }).end(), 4],
])("a file %s is an upload that must be made again", async (_, answer, tries) => {
  answers = [answer];
  const error = await fetched().catch((reason: unknown) => reason);
  if (!(error instanceof Refusal)) throw new Error("It was not refused.");
  expect([error.status, error.code]).toEqual([503, "uploads_unavailable"]);
  expect(asked).toBe(tries);
  const said = [error, error.cause].map((part) =>
    part instanceof Error ? `${part.message} ${part.stack}` : "",
  );
  expect(said.join(" ")).not.toContain("5ecret");
  expect(await readdir(join(stateDir, "incoming"))).toEqual([]);
});
