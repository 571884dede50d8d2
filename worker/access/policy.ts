// Who may call a portal route.

import type { Failure } from "../../contract/errors.ts";
import type { Caller } from "./caller.ts";

/**
 * - `public`: anybody.
 * - `any`: any credential of either plane.
 * - `portal`: a signed-in person, by cookie or identity token.
 * - `identity`: an identity token alone.
 * - `portal-or-full-key`: a signed-in person, a full key or a session credential.
 * - `full-key`: a full key alone; what mints must not have been minted.
 * - `key`: any credential a box would accept, checked as a box checks it.
 * - `admin`: a signed-in administrator; to anyone else the route does not exist.
 * - `box`: a box under its own secret.
 */
export type Policy =
  | "public"
  | "any"
  | "portal"
  | "identity"
  | "portal-or-full-key"
  | "full-key"
  | "key"
  | "admin"
  | "box";

export type CallerPolicy = Exclude<Policy, "public" | "box">;

export const failures = {
  missing: { code: "missing_api_key", message: "No credential was presented." },
  invalid: {
    code: "invalid_api_key",
    message: "The credential is unknown, revoked, expired or not for this route.",
  },
  scope: { code: "insufficient_scope", message: "The credential's scope does not reach this route." },
  hidden: { code: "not_found", message: "There is no such route." },
} as const satisfies Record<string, Failure>;

const isPerson = (caller: Caller) => caller.kind === "cookie" || caller.kind === "identity";

/** Null when the policy lets the caller in, else why not. */
export function admit(policy: CallerPolicy, caller: Caller): Failure | null {
  const streamOnly = caller.scope === "tts";
  switch (policy) {
    case "any":
      return null;
    case "portal":
      if (isPerson(caller)) return null;
      return streamOnly ? failures.scope : failures.invalid;
    case "identity":
      if (caller.kind === "identity") return null;
      return streamOnly ? failures.scope : failures.invalid;
    case "portal-or-full-key":
      return streamOnly ? failures.scope : null;
    case "full-key":
      if (isPerson(caller)) return failures.invalid;
      return caller.kind === "key" && !streamOnly ? null : failures.scope;
    case "key":
      return isPerson(caller) ? failures.invalid : null;
    case "admin":
      return isPerson(caller) && caller.admin ? null : failures.hidden;
  }
}
