// From what a request carries to who is asking.

import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { digestsEqual, sha256Hex } from "../platform/digest.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import type { Caller } from "./caller.ts";
import { verifyIdentity } from "./identity.ts";
import { failures } from "./policy.ts";
import type { Presented } from "./presented.ts";
import { extendPortalSession, plainLookUps, type LookUps } from "./store.ts";

/** A portal session slides when this much of its life is gone, so that not every read is a write. */
const slideAfterSeconds = 24 * 3600;

export interface Identified {
  caller: Caller;
  /** The portal session was extended: its cookie must be sent again. */
  extended: boolean;
  /** What the read along came to; null without one, for an identity token, or where it could not be read. */
  along: string | null;
}

const invalid = failure(failures.invalid.code, failures.invalid.message);

/** Checks a presented credential. Unknown, revoked and expired are one answer. */
export async function identify(
  env: Env,
  presented: Presented,
  lookUps: LookUps = plainLookUps,
): Promise<Outcome<Identified>> {
  switch (presented.kind) {
    case "nothing":
      return failure(failures.missing.code, failures.missing.message);
    case "malformed":
      return invalid;
    case "secret":
      return identifySecret(env, presented.secret, lookUps);
    case "cookie":
      return identifyCookie(env, presented.value, lookUps);
    case "jwt": {
      if (!env.identity) return invalid;
      const identity = await verifyIdentity(presented.token, env.identity);
      if (!identity.ok) return identity;
      const { email, expiresAt } = identity.value;
      return success({
        caller: person(env, "identity", { account: email, digest: null, expiresAt }),
        extended: false,
        along: null,
      });
    }
  }
}

type PersonFacts = Pick<Caller, "account" | "digest" | "expiresAt">;

function person(env: Env, kind: "cookie" | "identity", facts: PersonFacts): Caller {
  return { ...facts, kind, scope: "full", admin: env.admins.has(facts.account) };
}

async function identifySecret(env: Env, secret: string, lookUps: LookUps): Promise<Outcome<Identified>> {
  const digest = await sha256Hex(secret);
  const row = await lookUps.credential(env.db, digest, nowSeconds());
  if (!row || !digestsEqual(row.digest, digest)) return invalid;
  const { account, kind, scope, expiresAt } = row;
  const caller = { account, kind, scope, admin: false, digest, expiresAt };
  return success({ caller, extended: false, along: row.along });
}

async function identifyCookie(env: Env, value: string, lookUps: LookUps): Promise<Outcome<Identified>> {
  const digest = await sha256Hex(value);
  const now = nowSeconds();
  const row = await lookUps.portalSession(env.db, digest, now);
  if (!row || !digestsEqual(row.digest, digest)) return invalid;
  const extended = row.expiresAt < now + limits.portalSessionSeconds - slideAfterSeconds;
  const expiresAt = extended ? now + limits.portalSessionSeconds : row.expiresAt;
  if (extended) await extendPortalSession(env.db, digest, expiresAt);
  const caller = person(env, "cookie", { account: row.account, digest, expiresAt });
  return success({ caller, extended, along: row.along });
}
