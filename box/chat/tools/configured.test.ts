import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toolDefinitionSchema } from "../../../contract/tools.ts";
import { Hub } from "../../live/hub.ts";
import { createLog } from "../../ops/log.ts";
import { certificateFor, startHttpsServer } from "../../testing/https-server.ts";
import { ClientCalls } from "./client-calls.ts";
import { configuredToolboxes } from "./configured.ts";
import { EndpointCalls } from "./endpoint-calls.ts";
import { PersonaToolboxes } from "./persona-toolbox.ts";
import { signingSecretFile } from "./signature.ts";
import type { Toolboxes } from "./toolbox.ts";

let stateDir: string;
let logged: string;
const log = createLog(
  "trace",
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  }),
);
const clientTools = new ClientCalls({ hub: new Hub(), connected: () => false });

beforeEach(async () => {
  logged = "";
  stateDir = await mkdtemp(join(tmpdir(), "visavis-tools-"));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const secret = "hunter2";
const run = (toolboxes: Toolboxes, endpoint: string) =>
  toolboxes
    .of(
      {
        tools: [
          toolDefinitionSchema.parse({
            name: "look_up",
            description: "Looks something up.",
            parameters: { type: "object" },
            endpoint,
            timeout_seconds: 20,
          }),
        ],
        tool_phrases: {},
      },
      true,
    )
    .run(
      { id: "u1", name: "look_up", arguments: { password: secret } },
      {
        account: "me",
        sessionId: null,
        correlationId: null,
        language: "en",
        signal: new AbortController().signal,
      },
    );

test("the box's tools reach no machine of its own network, and its secret is kept or given", async () => {
  const server = await startHttpsServer(await certificateFor("localhost"));
  try {
    const own = await configuredToolboxes({
      config: { stateDir, toolSigningSecret: null },
      clientTools,
      log,
    });
    for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])
      expect(await run(own, `https://${host}:${server.port}/${secret}`)).toMatchObject({
        isError: true,
        content: "The tool's address is not on the public internet.",
      });
    expect(server.connections).toBe(0);
    await own.close?.();
    const kept = await readFile(join(stateDir, signingSecretFile), "utf8");
    expect(kept.trim()).toHaveLength(43);
    await rm(join(stateDir, signingSecretFile));
    const given = await configuredToolboxes({
      config: { stateDir, toolSigningSecret: "a-secret-of-the-operator" },
      clientTools,
      log,
    });
    await given.close?.();
    expect(await readdir(stateDir)).toEqual([]);
  } finally {
    await server.close();
  }
});

test("nothing of a call is in the log: no address, no argument, no answer, no secret", async () => {
  const certificate = await certificateFor("hunter2.example");
  const server = await startHttpsServer(certificate);
  const toolboxes = new PersonaToolboxes({
    endpoints: new EndpointCalls({
      signingSecret: `${secret}-signing-secret`,
      ca: certificate.cert,
      resolve: (name) =>
        name.startsWith("gone")
          ? Promise.reject(new Error(`queryA ENOTFOUND ${name}`))
          : Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
      allows: () => true,
    }),
    clientTools,
    log,
  });
  try {
    const url = (host: string) => `https://${host}:${server.port}/${secret}?key=${secret}`;
    const outcomes = [];
    for (const answer of [
      () => server.answer,
      () => (server.answer = (response) => response.writeHead(500, { "X-Secret": secret }).end(secret)),
      () => (server.answer = (response) => response.writeHead(302, { Location: url("other") }).end(secret)),
      () =>
        (server.answer = (response) => response.setHeader("Content-Type", "application/json").end(secret)),
      () => (server.answer = (response) => response.socket?.end(secret)),
    ]) {
      answer();
      outcomes.push(await run(toolboxes, url("hunter2.example")));
    }
    for (const host of ["gone-hunter2.example", "wrong-hunter2.example"])
      outcomes.push(await run(toolboxes, url(host)));
    expect(outcomes.map(({ isError }) => isError)).toEqual([false, true, true, true, true, true, true]);
    expect(JSON.stringify(outcomes)).not.toContain(secret);
    const faults = logged
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { fault: string }).fault);
    expect(faults).toEqual(["status", "redirect", "content", "network", "name", "certificate"]);
    expect(logged).not.toContain(secret);
  } finally {
    await toolboxes.close();
    await server.close();
  }
});
