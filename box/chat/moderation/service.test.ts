import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError } from "../../config.ts";
import { createLog } from "../../ops/log.ts";
import { FakeModeration } from "../../testing/fake-moderation.ts";
import { configuredScreen } from "./configured.ts";
import { openScreen } from "./screen.ts";
import { ModerationService, type ModerationServiceOptions } from "./service.ts";

const secret = "moderation-secret";
const never = new AbortController().signal;
let fake: FakeModeration;
let logged: string;
const log = createLog("debug", { write: (line: string) => void (logged += line) });

beforeEach(async () => {
  logged = "";
  fake = await FakeModeration.start();
});
afterEach(async () => {
  await fake.close();
  expect(logged).not.toMatch(/secret|private words/);
});

const service = (options: Partial<ModerationServiceOptions> = {}) =>
  new ModerationService({
    url: fake.url,
    secret,
    onFailure: "remove",
    log,
    answerWithinMs: 20_000,
    ...options,
  });

test("it is asked with the role, the words and a signature over the body", async () => {
  expect(await service().screen("user", "Héllo 🙂", never)).toEqual({ text: "Héllo 🙂", reason: null });
  expect(await service().screen("persona", "Hi", never)).toEqual({ text: "Hi", reason: null });
  expect(fake.questions.map(({ body }) => body)).toEqual([
    { role: "user", text: "Héllo 🙂" },
    { role: "persona", text: "Hi" },
  ]);
  const [first] = fake.questions;
  expect(first?.headers["content-type"]).toBe("application/json");
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers["x-signature"])) ?? [];
  expect(digest).toBe(createHmac("sha256", secret).update(`${seconds}.${first?.raw}`).digest("hex"));
});

test("without a secret nothing is signed", async () => {
  await service({ secret: null }).screen("user", "Hi", never);
  expect(fake.questions[0]?.headers["x-signature"]).toBeUndefined();
});

test.each([
  ['{"allowed":false}', "", "service"],
  ['{"allowed":false,"text":"Hm"}', "", "service"],
  ['{"allowed":true,"text":"Hm"}', "Hm", "service"],
  ['{"allowed":true,"text":"private words"}', "private words", null],
  ['{"allowed":true,"text":""}', "", "service"],
  ['{"allowed":true,"score":0.2}', "private words", null],
])("%s leaves %j", async (answer, text, reason) => {
  fake.answer = (_question, response) => response.end(answer);
  expect(await service().screen("user", "private words", never)).toEqual({ text, reason });
});

test.each<[what: string, answer: (response: ServerResponse) => void, fault: string]>([
  ["an error", (response) => response.writeHead(500).end("secret"), "status"],
  ["a redirect", (response) => response.writeHead(307, { Location: "/elsewhere" }).end(), "network"],
  ["no JSON", (response) => response.end("<secret>"), "content"],
  ["another shape", (response) => response.end('{"allowed":"yes"}'), "content"],
  [
    "an endless answer",
    (response) => response.end(`{"allowed":true,"x":"${"y".repeat(300_000)}"}`),
    "content",
  ],
  ["a cut connection", (response) => response.destroy(), "network"],
  [
    "a cut answer",
    (response) => (response.write('{"allowed"'), setImmediate(() => response.destroy())),
    "network",
  ],
  ["silence", () => undefined, "timeout"],
])("after %s the words pass or not, as was configured", async (_, answer, fault) => {
  fake.answer = (_question, response) => answer(response);
  const answerWithinMs = fault === "timeout" ? 30 : 20_000;
  expect(await service({ answerWithinMs }).screen("user", "private words", never)).toEqual({
    text: "",
    reason: "service unavailable",
  });
  expect(
    await service({ answerWithinMs, onFailure: "allow" }).screen("user", "private words", never),
  ).toEqual({
    text: "private words",
    reason: null,
  });
  expect(logged).toContain(`"fault":"${fault}"`);
});

test("a service that fails again and again is left alone for a while", async () => {
  fake.answer = (_question, response) => response.writeHead(503).end();
  const screen = service({ leftAloneMs: 20_000 });
  for (let time = 0; time < 5; time++) await screen.screen("user", "Hi", never);
  expect(fake.questions).toHaveLength(3);
});

test("a service that was left alone is asked again", async () => {
  fake.answer = (_question, response) => response.writeHead(503).end();
  const screen = service({ leftAloneMs: 50 });
  for (let time = 0; time < 3; time++) await screen.screen("user", "Hi", never);
  fake.answer = (_question, response) => response.end('{"allowed":true}');
  await expect.poll(async () => (await screen.screen("user", "Hi", never)).text).toBe("Hi");
});

test("a question that is not wanted any more comes out empty at once, and is no failure", async () => {
  fake.answer = () => undefined;
  const leaving = new AbortController();
  const screened = service().screen("user", "private words", leaving.signal);
  await expect.poll(() => fake.questions).toHaveLength(1);
  leaving.abort();
  expect(await screened).toEqual({ text: "", reason: null });
  expect(await service().screen("user", "private words", leaving.signal)).toEqual({ text: "", reason: null });
  expect(logged).toBe("");
});

test("rules come first, and what they leave is what the service is asked about", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rules-"));
  try {
    const rulesPath = join(folder, "rules.json");
    const rules = [
      { name: "gone", words: ["gone"] },
      { name: "masked", words: ["hidden"], action: "mask" },
    ];
    await writeFile(rulesPath, JSON.stringify({ rules }));
    const moderation = { rulesPath, url: fake.url, secret, onFailure: "remove" as const };
    const screen = await configuredScreen({ config: { moderation }, log });
    fake.answer = ({ body }, response) =>
      response.end(JSON.stringify({ allowed: true, text: `${body.text} ok` }));
    expect(await screen.message("it is hidden", never)).toEqual({
      text: "it is … ok",
      reason: "masked, service",
    });
    expect(await screen.clause("it is gone", never)).toEqual({ text: "", reason: "gone" });
    expect(fake.questions.map(({ body }) => body)).toEqual([{ role: "user", text: "it is …" }]);

    const alone = await configuredScreen({ config: { moderation: { ...moderation, url: null } }, log });
    expect(await alone.message("hidden things", never)).toEqual({ text: "… things", reason: "masked" });
    const asked = await configuredScreen({ config: { moderation: { ...moderation, rulesPath: null } }, log });
    expect(await asked.clause("gone", never)).toEqual({ text: "gone ok", reason: "service" });
    expect(fake.questions.at(-1)?.body.role).toBe("persona");

    await writeFile(rulesPath, "{");
    await expect(configuredScreen({ config: { moderation }, log })).rejects.toBeInstanceOf(ConfigError);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("nothing configured screens nothing", async () => {
  const moderation = { rulesPath: null, url: null, secret: null, onFailure: "remove" as const };
  expect(await configuredScreen({ config: { moderation }, log })).toBe(openScreen);
});
