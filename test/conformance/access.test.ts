// Every route of the portal against every kind of credential, on a real `wrangler dev`.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { structuredErrorSchema, unwrappedErrorSchema } from "../../contract/errors.ts";
import { startPortal, type PortalProcess } from "../harness/portal.ts";
import {
  admin,
  boxSecret,
  credentialKinds,
  expiredRows,
  makeCredentials,
  type Credentials,
} from "./credentials.ts";
import { startIdentityProvider, type IdentityProvider } from "./identity-provider.ts";
import { makeOwned } from "./owned.ts";
import { matrix } from "./policies.ts";
import type { Owned, Route } from "./route.ts";
import { routes } from "./routes.ts";

let identity: IdentityProvider;
let portal: PortalProcess;
let credentials: Credentials;
let owned: Owned;

beforeAll(async () => {
  identity = await startIdentityProvider();
  portal = await startPortal({
    seed: expiredRows,
    variables: {
      ...identity.variables,
      ADMIN_EMAILS: admin,
      BOX_SECRETS: `box-a:${boxSecret}`,
      VAULT_KEY: "ab".repeat(32),
      // Nobody listens there: a still would fail, but only once its upload is found.
      STILL_URL: "http://127.0.0.1:9/",
    },
  });
  credentials = await makeCredentials(portal.url, identity);
  owned = await makeOwned(portal.url, credentials["portal cookie"]);
});
afterAll(async () => {
  await portal?.stop();
  identity?.close();
});

interface Asked {
  status: number;
  body: unknown;
  headers: Headers;
}

async function ask(route: Route, headers: Record<string, string>, path?: string): Promise<Asked> {
  const response = await fetch(portal.url + (path ?? route.path?.(owned) ?? route.template), {
    method: route.method,
    headers,
    ...(route.body === undefined ? {} : { body: JSON.stringify(route.body) }),
    redirect: "manual",
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text), headers: response.headers };
}

/** Failures of minting, and every 401, are `{code, message}`; all others are `{error: {code, message}}`. */
function codeOf(route: Route, { status, body }: Asked): string {
  const bare = status === 401 || route.template === "/v1/streaming.create_token";
  if (bare) return unwrappedErrorSchema.strict().parse(body).code;
  const { error } = structuredErrorSchema
    .extend({ error: structuredErrorSchema.shape.error.strict() })
    .parse(body);
  return error.code;
}

/** The body is what the schema says, and holds nothing the schema does not know. */
function expectExactly(schema: z.ZodType, body: unknown): void {
  expect(body).toEqual(schema.parse(body));
}

interface Declared {
  method: string;
  path: string;
}

/** What the portal's code declares. Loaded by its address, since the Worker is compiled against other types than tests are. */
async function declaredRoutes(): Promise<Declared[]> {
  const { createApp } = (await import(new URL("../../worker/app.ts", import.meta.url).href)) as {
    createApp(): { openAPIRegistry: { definitions: { type: string; route: Declared }[] } };
  };
  return createApp().openAPIRegistry.definitions.flatMap(({ type, route }) =>
    type === "route" ? [route] : [],
  );
}

const title = (route: Route) => `${route.method} ${route.template}`;

describe.each(routes.map((route) => [title(route), route] as const))("%s", (_, route) => {
  test.each(credentialKinds)("%s", async (kind) => {
    const cell = matrix[route.policy][kind];
    const asked = await ask(route, credentials[kind]);
    const stranger = kind.startsWith("someone else's") || kind === "admin cookie";
    if (cell !== "in") {
      expect(`${asked.status} ${codeOf(route, asked)}`).toBe(cell);
      if (asked.status === 401) expect(asked.headers.get("WWW-Authenticate")).toBe("Bearer");
    } else if (stranger && route.foreign) {
      expect({ status: asked.status, code: codeOf(route, asked) }).toEqual(route.foreign);
    } else if ("schema" in route.answer) {
      expect(asked).toMatchObject({ status: route.answer.status });
      expectExactly(route.answer.schema, asked.body);
    } else {
      expect({ status: asked.status, code: codeOf(route, asked) }).toEqual(route.answer);
    }
    expect(asked.headers.get("X-Request-Id")).toMatch(/^[\w-]{8,}$/);
    expect(asked.headers.get("Cache-Control")).toContain("no-store");
    expect(asked.status).not.toBe(403);
  });
});

describe("somebody else's resource is one that never existed", () => {
  const owns = routes.filter((route) => route.foreign);
  test.each(owns.map((route) => [title(route), route] as const))("%s", async (_, route) => {
    const path = route.path?.(owned) ?? "";
    const invented = Object.values(owned).reduce((text, id) => text.replace(id, "never-existed"), path);
    const theirs = await ask(route, credentials["someone else's cookie"]);
    const nothing = await ask(route, credentials["someone else's cookie"], invented);
    expect([theirs.status, theirs.body]).toEqual([nothing.status, nothing.body]);
  });
});

test("the table names every route that the portal declares and every one that its API's description names", async () => {
  const { paths } = (await (await fetch(`${portal.url}/static/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = (await declaredRoutes()).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  /** Told apart elsewhere: a redirect, a cleared cookie, the description itself, local mail, two upgrades, a session's id. */
  const elsewhere = [
    "GET /auth/callback",
    "POST /auth/logout",
    "GET /static/openapi.json",
    "GET /dev/outbox",
    "GET /api/session/ws",
    "GET /api/voice/ws",
    "PATCH /connect/{id}",
    "DELETE /connect/{id}",
  ];
  const listed = new Set([...routes.map(title), ...elsewhere]);
  expect([...listed].sort()).toEqual([...new Set([...described, ...declared])].sort());
});

test("a body that is no object is refused in the route's own envelope, and so is one that is too large", async () => {
  for (const route of routes) {
    if (route.body === undefined || route.policy.startsWith("front door")) continue;
    const kind =
      credentialKinds.find((one) => matrix[route.policy][one] === "in" && one !== "none") ?? "none";
    const send = async (body: string) => {
      const response = await fetch(portal.url + (route.path?.(owned) ?? route.template), {
        method: route.method,
        headers: credentials[kind],
        body,
      });
      const text = await response.text();
      return codeOf(route, { status: response.status, body: JSON.parse(text), headers: response.headers });
    };
    expect.soft([title(route), await send("[1]")]).toEqual([title(route), "invalid_body"]);
    expect.soft([title(route), await send("{")]).toEqual([title(route), "invalid_body"]);
  }
  const large = await fetch(`${portal.url}/auth/settings`, {
    method: "POST",
    headers: credentials["full key"],
    body: JSON.stringify({ system_prompt: "x".repeat(1024 * 1024) }),
  });
  expect([large.status, structuredErrorSchema.parse(await large.json()).error.code]).toEqual([
    413,
    "body_too_large",
  ]);
});

test("an address of a wrong method is told what is allowed, to an administrator's paths only an administrator", async () => {
  for (const route of routes) {
    const url = portal.url + (route.path?.(owned) ?? route.template);
    if (route.policy.startsWith("front door")) continue;
    const wrong = await fetch(url, { method: "PROPFIND", headers: credentials["portal cookie"] });
    const body = structuredErrorSchema.parse(await wrong.json());
    const hidden = route.policy === "admin";
    expect
      .soft([title(route), wrong.status, body.error.code])
      .toEqual([title(route), hidden ? 404 : 405, hidden ? "not_found" : "method_not_allowed"]);
    if (!hidden) expect.soft(wrong.headers.get("Allow")).toContain(route.method);
  }
});
