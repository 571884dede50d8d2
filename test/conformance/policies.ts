// What each kind of credential gets at a route of each policy: written from the specification, not from the portal's code.

import type { CredentialKind } from "./credentials.ts";

export type PolicyName =
  | "public"
  | "any"
  | "portal"
  | "identity"
  | "portal or full key"
  | "full key"
  | "admin"
  | "box"
  | "front door"
  | "front door, full";

/** A refusal as `status code`, or `in`: what the route itself answers. */
export type Cell = "in" | `${number} ${string}`;

const missing = "401 missing_api_key";
const invalid = "401 invalid_api_key";
const scope = "401 insufficient_scope";
const hidden = "404 not_found";

/** What nobody accepts, wherever it is presented. */
const refusedEverywhere = {
  none: missing,
  malformed: invalid,
  unknown: invalid,
  revoked: invalid,
  expired: invalid,
  "expired cookie": invalid,
  "signed-out cookie": invalid,
  "expired identity token": invalid,
} as const;

const everybody = (cell: Cell): Record<CredentialKind, Cell> => ({
  none: cell,
  malformed: cell,
  unknown: cell,
  revoked: cell,
  expired: cell,
  "expired cookie": cell,
  "signed-out cookie": cell,
  "expired identity token": cell,
  "stream-only": cell,
  "full key": cell,
  "session credential": cell,
  "portal cookie": cell,
  "identity token": cell,
  "someone else's key": cell,
  "someone else's cookie": cell,
  "admin cookie": cell,
  "box secret": cell,
});

interface Admitted {
  streamOnly: Cell;
  key: Cell;
  session: Cell;
  cookie: Cell;
  identity: Cell;
}

/** A row from what the five live kinds get; the strangers' are the same kinds, and a box's secret is no credential here. */
const live = ({ streamOnly, key, session, cookie, identity }: Admitted): Record<CredentialKind, Cell> => ({
  ...refusedEverywhere,
  "stream-only": streamOnly,
  "full key": key,
  "session credential": session,
  "portal cookie": cookie,
  "identity token": identity,
  "someone else's key": key,
  "someone else's cookie": cookie,
  "admin cookie": cookie,
  "box secret": invalid,
});

export const matrix: Record<PolicyName, Record<CredentialKind, Cell>> = {
  public: everybody("in"),
  any: live({ streamOnly: "in", key: "in", session: "in", cookie: "in", identity: "in" }),
  portal: live({ streamOnly: scope, key: invalid, session: invalid, cookie: "in", identity: "in" }),
  identity: live({ streamOnly: scope, key: invalid, session: invalid, cookie: invalid, identity: "in" }),
  "portal or full key": live({ streamOnly: scope, key: "in", session: "in", cookie: "in", identity: "in" }),
  "full key": live({ streamOnly: scope, key: "in", session: scope, cookie: invalid, identity: invalid }),
  admin: { ...everybody(hidden), "admin cookie": "in" },
  box: { ...everybody(invalid), none: missing, "box secret": "in" },
  "front door": live({ streamOnly: "in", key: "in", session: "in", cookie: invalid, identity: invalid }),
  "front door, full": live({
    streamOnly: scope,
    key: "in",
    session: "in",
    cookie: invalid,
    identity: invalid,
  }),
};
