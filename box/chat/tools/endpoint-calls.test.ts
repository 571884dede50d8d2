import { createHmac } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { getEventListeners } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import {
  certificateFor,
  startHttpsServer,
  type Certificate,
  type HttpsTestServer,
} from "../../testing/https-server.ts";
import { cutNote } from "./content.ts";
import {
  EndpointCalls,
  EndpointError,
  type EndpointCall,
  type EndpointCallsOptions,
} from "./endpoint-calls.ts";
import { isPublicAddress } from "./public-address.ts";

const name = "tools.example";
const signingSecret = "the-secret-of-this-test";
/** Long enough for anything that is meant to be answered. */
const patientMs = 20_000;

let certificate: Certificate;
let server: HttpsTestServer;
let calls: EndpointCalls;
/** What the name resolves to, one answer after another; the last one stays. */
let answers: string[];
let resolved: string[];

const resolve = (hostname: string): Promise<LookupAddress[]> => {
  resolved.push(hostname);
  const address = (answers.length > 1 ? answers.shift() : answers[0]) ?? "";
  return Promise.resolve([{ address, family: 4 }]);
};
const local = (address: string) => address === "127.0.0.1" || isPublicAddress(address);

function callsWith(options: Partial<EndpointCallsOptions> = {}): EndpointCalls {
  calls.close();
  calls = new EndpointCalls({ signingSecret, resolve, allows: local, ca: certificate.cert, ...options });
  return calls;
}

beforeAll(async () => {
  certificate = await certificateFor(name);
});
beforeEach(async () => {
  answers = ["127.0.0.1"];
  resolved = [];
  server = await startHttpsServer(certificate);
  calls = new EndpointCalls({ signingSecret, resolve, allows: local, ca: certificate.cert });
});
afterEach(async () => {
  calls.close();
  await server.close();
});
afterAll(() => expect(process.env.NODE_TLS_REJECT_UNAUTHORIZED).toBeUndefined());

const call = (given: Partial<EndpointCall> = {}) =>
  calls.call({
    endpoint: `https://${name}:${server.port}/look?up=1`,
    tool: "look_up",
    arguments: { order: "42", note: "ünïcode" },
    sessionId: "s1",
    correlationId: "c1",
    timeoutMs: patientMs,
    signal: new AbortController().signal,
    ...given,
  });

const fault = async (pending: Promise<string>) => {
  const error: unknown = await pending.then(
    (text) => new Error(`It was answered: ${text}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof EndpointError)) throw error;
  return error;
};

test("one signed request with the four fields, and the answer as it is", async () => {
  const before = Math.floor(Date.now() / 1000);
  server.answer = (response) =>
    response.setHeader("Content-Type", "application/json").end('{ "state" : "sent" }');
  expect(await call()).toBe('{"state":"sent"}');
  const [request] = server.received;
  expect(request).toMatchObject({ method: "POST", path: "/look?up=1" });
  expect(JSON.parse(request?.body ?? "")).toEqual({
    tool: "look_up",
    arguments: { order: "42", note: "ünïcode" },
    session_id: "s1",
    correlation_id: "c1",
  });
  expect(request?.headers).toMatchObject({
    "content-type": "application/json",
    host: `${name}:${server.port}`,
    "accept-encoding": "identity",
  });
  const [, seconds, digest] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request?.headers["x-signature"])) ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(before);
  expect(Number(seconds)).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  expect(digest).toBe(
    createHmac("sha256", signingSecret).update(`${seconds}.${request?.body}`).digest("hex"),
  );
});

test("connections are kept for the next call, and gone after close", async () => {
  await call();
  await call();
  expect(server.connections).toBe(1);
  expect(resolved).toEqual([name]);
  calls.close();
  expect(await fault(call())).toMatchObject({ fault: "interrupted" });
});

test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254"])(
  "a name that resolves to %s is refused before a connection is made",
  async (address) => {
    answers = [address];
    callsWith({ allows: isPublicAddress });
    expect(await fault(call())).toMatchObject({ fault: "address" });
    expect(server.connections).toBe(0);
  },
);

test.each(["127.0.0.1", "[::1]", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"])(
  "an endpoint at %s is refused",
  async (host) => {
    callsWith({ allows: isPublicAddress });
    answers = ["127.0.0.1"];
    expect(await fault(call({ endpoint: `https://${host}:${server.port}/` }))).toMatchObject({
      fault: "address",
    });
    expect(server.connections).toBe(0);
  },
);

test.each(["http://tools.example/", "ftp://tools.example/", "nonsense", "file:///etc/passwd"])(
  "%s is no endpoint",
  async (endpoint) => {
    expect(await fault(call({ endpoint }))).toMatchObject({ fault: "address" });
    expect(resolved).toEqual([]);
  },
);

test("a name that changes its mind is connected to where it was judged", async () => {
  // Were the name resolved again for the connection, the call would reach the second address and fail.
  answers = ["127.0.0.1", "127.0.0.2"];
  const inner = await startHttpsServer(certificate, { host: "127.0.0.2", port: server.port });
  try {
    expect(await call()).toBe("ok");
    expect(resolved).toEqual([name]);
    // The next connection asks again, and the answer is judged again.
    server.answer = (response) => response.setHeader("Connection", "close").end("closed");
    expect(await call()).toBe("closed");
    expect(await fault(call())).toMatchObject({ fault: "address" });
    expect(resolved).toEqual([name, name]);
    expect(inner.connections).toBe(0);
  } finally {
    await inner.close();
  }
});

test.each([301, 302, 307, 308, 304])("a redirect (%i) is not followed", async (status) => {
  server.answer = (response) =>
    response.writeHead(status, { Location: `https://${name}:${server.port}/elsewhere` }).end();
  expect(await fault(call())).toMatchObject({ fault: "redirect", status });
  expect(server.received.map(({ path }) => path)).toEqual(["/look?up=1"]);
});

test.each([400, 401, 404, 500, 503])("status %i is a failure that tells nothing else", async (status) => {
  server.answer = (response) => response.writeHead(status).end("the database password is hunter2");
  const error = await fault(call());
  expect(error).toMatchObject({ fault: "status", status });
  expect(error.message).toBe(`The tool answered with status ${status}.`);
});

test("text, an empty answer, and text in other tongues", async () => {
  const bodies = ["Zwölf Grad — 晴れ 🌤", "", " "];
  server.answer = (response) => response.setHeader("Content-Type", "text/plain").end(bodies.shift());
  expect(await call()).toBe("Zwölf Grad — 晴れ 🌤");
  expect(await call()).toBe("The tool answered with nothing.");
  expect(await call()).toBe("The tool answered with nothing.");
  server.answer = (response) => response.writeHead(204).end();
  expect(await call()).toBe("The tool answered with nothing.");
});

test("JSON that is none, bytes that are no text, and packed answers are unreadable", async () => {
  const json = { "Content-Type": "application/problem+json; charset=utf-8" };
  const cases: [headers: Record<string, string>, body: string | Buffer][] = [
    [json, "{broken"],
    [json, "[".repeat(60_000)],
    [json, "[".repeat(30_000) + "]".repeat(30_000)],
    [{}, Buffer.from([0x47, 0xff, 0xfe])],
    [{ "Content-Encoding": "gzip" }, Buffer.from([0x1f, 0x8b])],
  ];
  for (const [headers, body] of cases) {
    server.answer = (response) => response.writeHead(200, headers).end(body);
    expect(await fault(call())).toMatchObject({ fault: "content" });
  }
});

test("a long answer is cut and says so; one without end is read no further", async () => {
  server.answer = (response) => response.end("ä".repeat(limits.toolResultChars + 1));
  const cut = await call();
  expect(cut).toHaveLength(limits.toolResultChars);
  expect(cut.endsWith(cutNote)).toBe(true);
  let written = 0;
  const ended = Promise.withResolvers<void>();
  server.answer = (response) => {
    response.setHeader("Content-Type", "application/json");
    response.once("close", ended.resolve);
    const pour = () => {
      while (!response.destroyed) {
        written += 65_536;
        if (!response.write("🌤".repeat(16_384))) {
          response.once("drain", pour);
          return;
        }
      }
    };
    pour();
  };
  const endless = await call();
  expect(endless.isWellFormed()).toBe(true);
  expect(endless.startsWith("🌤🌤")).toBe(true);
  expect(endless).toHaveLength(limits.toolResultChars - ((limits.toolResultChars - cutNote.length) % 2));
  await ended.promise;
  // What the machine's buffers took is a few megabytes at most.
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test("whatever hangs, the time of the call ends it", async () => {
  const closed: Promise<unknown>[] = [];
  const timers: NodeJS.Timeout[] = [];
  const hanging: ((answer: Parameters<HttpsTestServer["answer"]>[0]) => void)[] = [
    () => undefined,
    (response) => response.write("Once upon"),
    (response) => timers.push(setInterval(() => response.write("."), 5)),
    (response) => timers.push(setInterval(() => response.writeProcessing(), 5)),
  ];
  for (const hang of hanging) {
    server.answer = (response) => {
      closed.push(new Promise((done) => response.once("close", done)));
      hang(response);
    };
    const error = await fault(call({ timeoutMs: 100 }));
    expect(error).toMatchObject({ fault: "timeout", message: "The tool did not answer within a second." });
  }
  // The connections go with the calls.
  await Promise.all(closed);
  for (const timer of timers) clearInterval(timer);
  callsWith({ resolve: () => new Promise(() => undefined) });
  expect(await fault(call({ timeoutMs: 50 }))).toMatchObject({ fault: "timeout" });
});

test("an interrupt ends a call at once, also one that has not begun", async () => {
  const reached = Promise.withResolvers<void>();
  server.answer = () => reached.resolve();
  const controller = new AbortController();
  const pending = fault(call({ signal: controller.signal }));
  await reached.promise;
  controller.abort();
  expect(await pending).toMatchObject({ fault: "interrupted" });
  expect(await fault(call({ signal: controller.signal }))).toMatchObject({ fault: "interrupted" });
});

test("a call leaves nothing at the signal of its turn, nor with the box", async () => {
  const { signal } = new AbortController();
  for (let round = 0; round < 5; round++) await call({ signal });
  server.answer = () => undefined;
  await fault(call({ signal, timeoutMs: 20 }));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const waiting = fault(call({ signal }));
  expect(calls.size).toBe(1);
  calls.close();
  expect(await waiting).toMatchObject({ fault: "interrupted" });
  expect(calls.size).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a server that cannot prove its name is not spoken to", async () => {
  const cases: [endpoint: string, options: Partial<EndpointCallsOptions>][] = [
    // Trusted, but another's name.
    [`https://other.example:${server.port}/`, {}],
    // Trusted by nobody.
    [`https://${name}:${server.port}/`, { ca: (await certificateFor(name)).cert }],
  ];
  for (const [endpoint, options] of cases) {
    callsWith(options);
    expect(await fault(call({ endpoint }))).toMatchObject({ fault: "certificate" });
  }
  expect(server.received).toEqual([]);
});

test("names that do not exist and servers that are not there", async () => {
  callsWith({
    resolve: () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })),
  });
  expect(await fault(call())).toMatchObject({ fault: "name" });
  callsWith();
  const { port } = server;
  await server.close();
  const error = await fault(call({ endpoint: `https://${name}:${port}/` }));
  expect(error).toMatchObject({ fault: "network", message: "The tool could not be reached." });
  server = await startHttpsServer(certificate);
  server.answer = (response) => response.destroy();
  expect(await fault(call())).toMatchObject({ fault: "network" });
  for (const junk of [
    "nonsense\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX: y".padEnd(40_000),
  ]) {
    server.answer = (response) => response.socket?.end(junk);
    expect(await fault(call())).toMatchObject({ fault: "network" });
  }
  // Part of an answer is none.
  server.answer = (response) => {
    response.writeHead(200, { "Content-Length": 100 }).write("part");
    setImmediate(() => response.destroy());
  };
  expect(await fault(call())).toMatchObject({ fault: "network" });
});

test("a failure that pours is not read", async () => {
  const ended = Promise.withResolvers<void>();
  server.answer = (response) => {
    response.once("close", ended.resolve);
    response.writeHead(500);
    const pour = setInterval(
      () => (response.destroyed ? clearInterval(pour) : response.write("x".repeat(65_536))),
      1,
    );
  };
  expect(await fault(call())).toMatchObject({ fault: "status", status: 500 });
  await ended.promise;
});
