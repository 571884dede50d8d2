// One OpenAPI 3.1 document of both planes, made from the same declarations that serve and check the requests.

import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import manifest from "../../package.json" with { type: "json" };
import { credentialPrefix } from "../../contract/credentials.ts";
import type { Policy } from "../access/policy.ts";
import type { PortalApp } from "../platform/portal.ts";
import { boxRouteConfigs } from "./box.ts";

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

const description = `
Visàvis puts a talking face on a language model. Two planes answer behind one host.

- **Portal** (\`/auth/*\`, \`/v1/public/*\`, \`POST /v1/streaming.create_token\`): always on. It keeps keys, settings, avatars,
  consents, sessions and voices.
- **Box** (\`/connect\`, \`/api/*\`): there while a box runs; 503 \`box_unavailable\` with \`Retry-After\` while none does. It
  holds one live session.

Branch on an error's \`code\`, never on its message. Every 401 is \`{code, message}\`; elsewhere errors are
\`{error: {code, message}}\`, on the older box routes \`{error: "a sentence"}\`. What belongs to somebody else answers 404,
exactly as what does not exist. Every answer carries \`X-Request-Id\`.
`.trim();

type Scheme = "apiKey" | "bearer" | "identityToken" | "portalCookie";

const securitySchemes: Record<Scheme, object> = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description: `A full key (\`${credentialPrefix.key}…\`), a session credential or a stream-only token.`,
  },
  bearer: { type: "http", scheme: "bearer", description: "The same credentials as a bearer token." },
  identityToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A signed-in person's identity token from the main user pool.",
  },
  portalCookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-vv_session",
    description: "A signed-in browser. Writes must be same origin.",
  },
};

const key: Scheme[] = ["apiKey", "bearer"];
const person: Scheme[] = ["portalCookie", "identityToken"];

/** Which credentials open a route of each policy; box policies are there under their own names. */
const opens: Record<Exclude<Policy, "box"> | "full", Scheme[]> = {
  public: [],
  any: [...key, ...person],
  portal: person,
  identity: ["identityToken"],
  "portal-or-full-key": [...person, ...key],
  "full-key": key,
  key,
  admin: person,
  full: key,
};

/** Titles of the document's sections, by what their paths begin with; the first that fits counts. */
const sections: [prefix: RegExp, title: string][] = [
  [/^\/auth\/(?:keys|session\/credential)|^\/v1\/streaming/, "Keys and credentials"],
  [/^\/auth\/(?:request-link|callback|logout|session|me)/, "Sign-in"],
  [/^\/auth\/settings/, "Settings"],
  [/^\/auth\/models/, "Models"],
  [/^\/auth\/avatars/, "Avatar library"],
  [/^\/auth\/(?:uploads|seated-still)/, "Uploads and seated stills"],
  [/^\/auth\/(?:consents|publication-consents)/, "Consents"],
  [/^\/auth\/portraits/, "Portraits"],
  [/^\/auth\/(?:sessions|recordings)/, "Session history"],
  [/^\/auth\/voices?(?:\/|$)/, "Voices"],
  [/^\/auth\/admin/, "Fleet (administrators)"],
  [/^\/(?:v1\/public|health|static)/, "Status"],
  [/^\/(?:connect|disconnect|offer)|^\/api\/session/, "Box: live session"],
  [/^\/api\/(?:chat|talk|interrupt)/, "Box: conversation"],
  [/^\/api\/avatar/, "Box: avatars"],
  [/^\//, "Box: the rest"],
];

const sectionOf = (path: string) => sections.find(([prefix]) => prefix.test(path))?.[1] ?? "";

/** What boxes alone, or a local portal alone, may call is nobody's API. */
const hidden = /^\/(?:internal|dev)\//;

/** Says of a route which section it belongs to and what opens it. */
function described(route: RouteConfig): RouteConfig {
  const policy = (route as { "x-policy"?: keyof typeof opens })["x-policy"];
  const security = policy ? opens[policy].map((scheme) => ({ [scheme]: [] })) : [];
  const answer = Object.entries(route.responses).find(([status]) => Number(status) < 400)?.[1];
  const summary = route.summary ?? (answer as { description?: string } | undefined)?.description ?? "";
  return { ...route, summary, security, tags: [sectionOf(route.path)] };
}

function routesOf(app: Pick<OpenAPIHono, "openAPIRegistry">): RouteConfig[] {
  return app.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === "route" && !hidden.test(definition.route.path) ? [definition.route] : [],
  );
}

export function describeApi(app: Pick<PortalApp, "openAPIRegistry">): Document {
  const whole = new OpenAPIHono();
  for (const route of [...routesOf(app), ...boxRouteConfigs()]) {
    whole.openAPIRegistry.registerPath(described(route));
  }
  const document = whole.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Visàvis", version: manifest.version, description },
    tags: [...new Set(sections.map(([, title]) => title))].map((name) => ({ name })),
  });
  return { ...document, components: { ...document.components, securitySchemes } } as Document;
}
