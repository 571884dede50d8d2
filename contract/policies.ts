// Who may call which box route: the one table both the box's gate and its tests read.

export type Policy = "public" | "any" | "full";

interface Rule {
  method: string;
  path: RegExp;
  policy: Policy;
}

const publicRules: Rule[] = [
  { method: "GET", path: /^\/$/, policy: "public" },
  { method: "GET", path: /^\/health$/, policy: "public" },
  { method: "GET", path: /^\/static\//, policy: "public" },
  // The route itself lets in its own machine and the operator, and hides from everybody else.
  { method: "GET", path: /^\/metrics$/, policy: "public" },
  { method: "OPTIONS", path: /^/, policy: "public" },
];

/** The nine routes of the specification, then the room routes and the custom preview. */
const fullRoutes: [method: string, path: string][] = [
  ["POST", "/api/avatar"],
  ["POST", "/api/avatar/delete"],
  ["POST", "/api/upload"],
  ["POST", "/api/voice/upload"],
  ["POST", "/api/voice/prepare"],
  ["POST", "/api/settings"],
  ["GET", "/api/stats"],
  ["POST", "/v1/streaming.create_token"],
  ["POST", "/v1/photo_avatar.create"],
  ["POST", "/api/voice/preview"],
];

/** The policy of a box route; what no rule names takes any credential. HEAD counts as GET. */
export function boxPolicy(method: string, path: string): Policy {
  const verb = method === "HEAD" ? "GET" : method;
  if (publicRules.some((rule) => rule.method === verb && rule.path.test(path))) return "public";
  if (fullRoutes.some(([m, p]) => m === verb && p === path)) return "full";
  if (/^\/(?:rtc|livekit)\//.test(path)) return "full";
  return "any";
}

/** Paths the portal's front door hands to a box. */
export function isBoxPath(path: string): boolean {
  if (/^\/v1\/(?:public(?:\/|$)|streaming\.create_token$)/.test(path)) return false;
  return /^\/(?:api|v1|rtc|livekit)\/|^\/(?:connect|offer|disconnect)(?:\/|$)/.test(path);
}
