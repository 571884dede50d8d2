import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { defaultSettings } from "../../../contract/settings.ts";
import { collect } from "../../testing/collect.ts";
import { configuredModels, Models } from "./models.ts";

const anthropic = { apiKey: "k", baseUrl: null };
const none = { anthropic: null, bedrock: null, residencyOptIn: [] };

test("alone a box has the rehearsal persona, for either slot", () => {
  const models = configuredModels(none);
  const settings = defaultSettings(models.catalogue);
  expect(models.choose(settings, true).row.id).toBe("rehearsal");
  expect(models.choose(settings, false).provider.id).toBe("builtin");
});

test("a model that is not there, or not allowed, is refused by its name", () => {
  const settings = {
    ...defaultSettings(configuredModels(none).catalogue),
  };
  settings.live_model = "claude-haiku-5-5";
  const without = configuredModels(none);
  expect(() => without.choose(settings, true)).toThrow("claude-haiku-5-5");
  expect(without.choose(settings, false).row.id).toBe("rehearsal");
  const offshore = configuredModels({ ...none, anthropic, residencyOptIn: [] });
  expect(() => offshore.choose(settings, true)).toThrow("regions");
  const allowed = configuredModels({ ...none, anthropic, residencyOptIn: ["global"] });
  expect(allowed.choose(settings, true).provider.id).toBe("anthropic");
});

test("a model is asked for where its id says, whoever made it", () => {
  const bedrock = { region: "ap-southeast-2", url: null };
  const models = configuredModels({ anthropic, bedrock, residencyOptIn: ["global"] });
  const choose = (live_model: string) =>
    models.choose({ ...defaultSettings(models.catalogue), live_model }, true);
  expect(choose("au.anthropic.claude-haiku-5-5").provider.id).toBe("bedrock");
  expect(choose("au.anthropic.claude-haiku-5-5").row.provider).toBe("anthropic");
  // Only where Bedrock has no nearer copy is the Messages API's own listed beside it.
  expect(choose("claude-sonnet-5-5").provider.id).toBe("anthropic");
  const alone = configuredModels({ ...none, bedrock });
  expect(alone.catalogue.find(({ id }) => id === "au.anthropic.claude-haiku-5-5")?.selectable).toBe(true);
  expect(() => new Models(alone.catalogue, []).choose(defaultSettings(alone.catalogue), true)).toThrow(
    "not configured",
  );
});

test("what the portal measured decides what is sent", () => {
  const models = configuredModels({ ...none, anthropic, residencyOptIn: ["global"] });
  const settings = {
    ...defaultSettings(models.catalogue),
    model: "claude-opus-5-5",
    live_model: "claude-haiku-5-5",
    temperature: 0.5,
    effort: "max",
    reasoning: "high",
  } as const;
  const live = models.choose(settings, true);
  expect(models.parameters(settings, live, [])).toEqual({ max_tokens: 1024 });
  const flags = { supports_sampling: true, supports_effort: true, reasoning: "adaptive" } as const;
  const measured = models.catalogue.map((row) =>
    row.id === "claude-haiku-5-5"
      ? { ...row, ...flags }
      : { ...row, supports_effort: true, effort_max: true },
  );
  expect(models.parameters(settings, live, measured)).toMatchObject({
    effort: "high",
    thinking: { type: "adaptive" },
  });
  // The other model takes no level this way, so its effort is the chosen one.
  expect(models.parameters(settings, models.choose(settings, false), measured)).toEqual({
    max_tokens: 1024,
    effort: "max",
  });
});

test("the base URL of the configuration is where Claude is asked", async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.writeHead(400, { "Content-Type": "application/json" });
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  try {
    const { port } = server.address() as AddressInfo;
    const models = configuredModels({
      ...none,
      anthropic: { apiKey: "k", baseUrl: `http://127.0.0.1:${port}/proxy` },
      residencyOptIn: ["global"],
    });
    const settings = { ...defaultSettings(models.catalogue), live_model: "claude-haiku-5-5" };
    const { provider, row } = models.choose(settings, true);
    const reply = provider.stream({
      model: row.id,
      system: "",
      messages: [{ role: "user", content: "Hi" }],
      tools: [],
      parameters: { max_tokens: 1 },
      signal: new AbortController().signal,
    });
    await expect(collect(reply)).rejects.toThrow("failed");
    expect(paths).toEqual(["/proxy/v1/messages"]);
  } finally {
    server.close();
  }
});
