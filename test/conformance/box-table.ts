// Every route of a box: what whoever is let in gets, written from the specification.

import { boxRoutes } from "../../contract/box-routes/box-routes.ts";
import type { Envelope } from "../../contract/errors.ts";
import { boxPolicy, type Policy } from "../../contract/policies.ts";
import type { CredentialKind } from "./credentials.ts";

/** What a request without a body, or of a thing that does not exist, comes to. */
interface Expected {
  status: number;
  code?: string;
  /** To another account; the same where left out. */
  foreign?: number;
  /** To a key of the box's own environment; as to another account where left out. */
  operator?: number;
  query?: string;
  headers?: Record<string, string>;
}

export interface BoxRow extends Expected {
  method: string;
  /** With `{id}` where a live session's id stands. */
  path: string;
  policy: Policy;
  envelope: Envelope;
  /** Types of the bodies it reads. */
  bodies: string[];
}

const blank: Expected = { status: 400, code: "invalid_body" };
const nobodys = (code: string, query = "avatar=nobody"): Expected => ({ status: 404, code, query });

const expected: Record<string, Expected> = {
  "GET /connect": { status: 200 },
  "POST /connect": blank,
  "POST /offer": blank,
  "PATCH /connect/{id}": { ...blank, foreign: 404, operator: 404 },
  "DELETE /connect/{id}": { status: 200, foreign: 404, operator: 404 },
  "POST /disconnect": { status: 200 },
  "GET /api/session/ws": { status: 101 },
  "GET /api/voice/ws": { status: 101 },
  ...Object.fromEntries(
    ["/rtc", "/livekit"].flatMap((prefix): [string, Expected][] => [
      [`POST ${prefix}/join`, blank],
      [`POST ${prefix}/leave`, { status: 200 }],
      [`GET ${prefix}/status`, { status: 200 }],
      [`GET ${prefix}/readiness`, { status: 200 }],
    ]),
  ),
  "GET /api/stats": { status: 200 },
  "GET /api/chat/status": { status: 200 },
  "POST /api/chat": blank,
  "POST /api/chat/reset": { status: 200 },
  "POST /api/talk": blank,
  "POST /api/interrupt": { status: 200 },
  "GET /api/voices": { status: 200 },
  "GET /api/voice/preview": { status: 404, query: "provider=nobody" },
  "POST /api/voice/preview": { status: 400 },
  "POST /api/voice/upload": { status: 400 },
  "POST /api/voice/prepare": { status: 400 },
  "POST /api/upload": blank,
  "GET /api/audios": { status: 200 },
  "GET /api/avatars": { status: 200 },
  "GET /api/avatar/preview": nobodys("unknown_avatar"),
  "POST /api/avatar": blank,
  "GET /api/videos": { status: 200 },
  "POST /api/avatar/delete": blank,
  "GET /api/avatar/clips": nobodys("unknown_avatar"),
  "POST /api/avatar/clips/retry": blank,
  "GET /api/avatar/clip": nobodys("unknown_avatar"),
  "POST /v1/photo_avatar.create": blank,
  "POST /api/avatar/seated-still": { status: 400 },
  "GET /api/avatar/seated-still/{job_id}": { status: 404, code: "unknown_job" },
  "GET /api/avatar/seated-still/{job_id}/image": { status: 404, code: "unknown_job" },
  "GET /api/settings": { status: 200 },
  "POST /api/settings": blank,
  "POST /api/models/{id}/warm": { status: 404, code: "not_found" },
  "GET /api/models/{id}/status": { status: 404, code: "not_found" },
};

/** Known to every box and listed in no contract. */
const further: BoxRow[] = [
  { method: "GET", path: "/", policy: "public", envelope: "structured", bodies: [], status: 200 },
  { method: "GET", path: "/health", policy: "public", envelope: "structured", bodies: [], status: 200 },
  { method: "OPTIONS", path: "/api/chat", policy: "public", envelope: "flat", bodies: [], status: 204 },
  {
    method: "GET",
    path: "/nowhere",
    policy: "any",
    envelope: "structured",
    bodies: [],
    ...nobodys("not_found"),
  },
  {
    method: "PUT",
    path: "/api/chat",
    policy: "any",
    envelope: "structured",
    bodies: [],
    status: 405,
    code: "method_not_allowed",
  },
  {
    method: "GET",
    path: "/metrics",
    policy: "public",
    envelope: "structured",
    bodies: [],
    status: 200,
  },
  {
    // As a proxy of the same machine passes a stranger on.
    method: "GET",
    path: "/metrics",
    headers: { "X-Forwarded-For": "203.0.113.9" },
    policy: "public",
    envelope: "structured",
    bodies: [],
    status: 404,
    code: "not_found",
    operator: 200,
  },
];

/** Keys of `expected` that no route of the contract has, and routes that have none. */
export const unmatched = [
  ...boxRoutes
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    .filter((key) => !(key in expected)),
  ...Object.keys(expected).filter(
    (key) => !boxRoutes.some(({ method, path }) => `${method.toUpperCase()} ${path}` === key),
  ),
];

export const boxRows: BoxRow[] = [
  ...boxRoutes.map(({ method: verb, path, envelope, body = [] }): BoxRow => {
    const method = verb.toUpperCase();
    // Whose policy goes by the exact path has no parameters.
    const policy = boxPolicy(method, path);
    const known = expected[`${method} ${path}`] ?? { status: 0 };
    return { method, path, policy, envelope, bodies: body.map(({ type }) => type), ...known };
  }),
  ...further,
];

/** `in`: what the route itself answers. */
export type BoxCell = "in" | "401 missing_api_key" | "401 invalid_api_key" | "401 insufficient_scope";
export type BoxKind = CredentialKind | "operator";

const invalid = "401 invalid_api_key";

/** What a box that is wired to a portal says to each credential. */
export function wiredCell(policy: Policy, kind: BoxKind): BoxCell {
  if (policy === "public") return "in";
  switch (kind) {
    case "none":
      return "401 missing_api_key";
    case "stream-only":
      return policy === "full" ? "401 insufficient_scope" : "in";
    case "full key":
    case "session credential":
    case "someone else's key":
    case "operator":
      return "in";
    default:
      return invalid;
  }
}

/** What a box says whose keys are all in its environment. */
export function staticCell(policy: Policy, kind: BoxKind): BoxCell {
  if (policy === "public" || kind === "operator") return "in";
  return kind === "none" ? "401 missing_api_key" : invalid;
}
