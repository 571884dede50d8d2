import { expect, test } from "vitest";
import { boxRoutes } from "../../contract/box-routes/box-routes.ts";
import { createApp } from "../app.ts";
import { call } from "../testing/portal.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, unknown> };
}

async function operations(): Promise<Map<string, Operation>> {
  const response = await call("/static/openapi.json");
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "application/json"]);
  const { openapi, paths } = (await response.json()) as {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
  };
  expect(openapi).toBe("3.1.0");
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
    ),
  );
}

test("every declared route is described, but for those of boxes and of a local portal alone", async () => {
  const described = await operations();
  const declared = createApp().openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === "route" ? [`${definition.route.method} ${definition.route.path}`] : [],
  );
  const hidden = (route: string) => / \/(?:internal|dev)\//.test(route);
  const expected = [
    ...declared.filter((route) => !hidden(route)),
    ...boxRoutes.map(({ method, path }) => `${method} ${path}`),
  ];
  expect([...described.keys()].sort()).toEqual(expected.sort());
});

test("every operation says what it is, where it belongs, who may call it and how it fails", async () => {
  for (const [route, { summary, tags, security, responses }] of await operations()) {
    expect.soft(summary, route).toBeTruthy();
    expect.soft(tags?.[0], route).toBeTruthy();
    expect.soft(security, route).toBeDefined();
    expect.soft(Object.keys(responses), route).toContain("401");
  }
  const read = (await operations()).get("get /auth/keys");
  expect(read?.security).toEqual([{ portalCookie: [] }, { identityToken: [] }]);
  const turn = (await operations()).get("post /api/chat");
  expect(turn?.security).toEqual([{ apiKey: [] }, { bearer: [] }]);
  expect(Object.keys(turn?.requestBody?.content ?? {})).toEqual(["application/json"]);
});

test("no schema is lost on the way", async () => {
  const text = await (await call("/static/openapi.json")).text();
  expect(text).not.toContain("undefined");
  expect(text).toContain('"system_prompt"');
});
