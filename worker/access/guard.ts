// Mounts a policy in front of a route.

import type { MiddlewareHandler } from "hono";
import { nowSeconds } from "../platform/clock.ts";
import { digestsEqual, sha256Hex } from "../platform/digest.ts";
import type { Env } from "../platform/env.ts";
import { Refusal, unwrap } from "../platform/errors.ts";
import type { Portal, PortalContext } from "../platform/context.ts";
import { sessionCookie } from "./cookie.ts";
import { identify, type Identified } from "./identify.ts";
import { requireSameOrigin } from "./origin.ts";
import { admit, failures, type CallerPolicy, type Policy } from "./policy.ts";
import { bearerOf, presentedBy } from "./presented.ts";
import { compileLookUps, findLaunchedBox, plainLookUps, type LookUps, type ReadAlong } from "./store.ts";

/** For as long a stopped box may still say how its last session ended, and how much it used. */
const stoppedGraceSeconds = 5 * 60;

const configured = new WeakMap<Env, Promise<{ boxId: string; digest: string }[]>>();

/** The boxes that the configuration names, by their secrets' digests; worked out once for each configuration. */
function configuredBoxes(env: Env): Promise<{ boxId: string; digest: string }[]> {
  let boxes = configured.get(env);
  if (!boxes) {
    const digested = env.boxSecrets.map(async ({ boxId, secret }) => ({
      boxId,
      digest: await sha256Hex(secret),
    }));
    boxes = Promise.all(digested);
    configured.set(env, boxes);
  }
  return boxes;
}

/**
 * The id of the box whose secret this is: one that the configuration names, else one that was launched and not stopped.
 * Digests are compared, so that a length tells nothing either.
 */
export async function findBox(env: Env, secret: string): Promise<string | null> {
  const digest = await sha256Hex(secret);
  let found: string | null = null;
  for (const box of await configuredBoxes(env)) if (digestsEqual(box.digest, digest)) found = box.boxId;
  return found ?? findLaunchedBox(env.db, digest, nowSeconds() - stoppedGraceSeconds);
}

async function enter(c: PortalContext, policy: CallerPolicy, lookUps: LookUps): Promise<Identified> {
  const presented = presentedBy(c);
  // Box paths are never opened by what only the portal understands, so neither is looked up for them.
  if (policy === "key" && (presented.kind === "cookie" || presented.kind === "jwt")) {
    throw new Refusal(failures.invalid);
  }
  const outcome = await identify(c.var.env, presented, lookUps);
  if (!outcome.ok && policy === "admin") throw new Refusal(failures.hidden, { cause: outcome.cause });
  const identified = unwrap(outcome);
  const refused = admit(policy, identified.caller);
  if (refused) throw new Refusal(refused);
  if (identified.caller.kind === "cookie") requireSameOrigin(c);
  return identified;
}

/** Checks the caller against a policy and leaves who it is in `c.var.caller` or `c.var.boxId`. */
export function guard(policy: Policy, along?: ReadAlong): MiddlewareHandler<Portal> {
  const lookUps = along ? compileLookUps(along) : plainLookUps;
  return async (c, next) => {
    if (policy === "box") {
      const secret = bearerOf(c.req.raw);
      if (secret === null) {
        throw new Refusal(presentedBy(c).kind === "nothing" ? failures.missing : failures.invalid);
      }
      const boxId = await findBox(c.var.env, secret);
      if (boxId === null) throw new Refusal(failures.invalid);
      c.set("boxId", boxId);
    } else if (policy !== "public") {
      const identified = await enter(c, policy, lookUps);
      const { caller, extended } = identified;
      c.set("caller", caller);
      c.set("along", identified.along);
      if (extended) {
        const presented = presentedBy(c);
        await next();
        if (presented.kind === "cookie") {
          c.res.headers.append("Set-Cookie", sessionCookie(c.req.url, presented.value));
        }
        return;
      }
    }
    await next();
  };
}
