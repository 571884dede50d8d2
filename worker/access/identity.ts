// Identity tokens of the main user pool.

import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { z } from "zod";
import type { IdentitySettings } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { failures } from "./policy.ts";

/** Asymmetric algorithms only: with a symmetric one, whoever can check a token could also make one. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

const claimsSchema = z.object({
  email: z.email().max(254),
  email_verified: z.literal(true),
  exp: z.int(),
});

const keySets = new WeakMap<IdentitySettings, ReturnType<typeof createRemoteJWKSet>>();

function keySetOf(settings: IdentitySettings) {
  const known = keySets.get(settings);
  if (known) return known;
  const made = createRemoteJWKSet(settings.jwksUrl, { timeoutDuration: 5000 });
  keySets.set(settings, made);
  return made;
}

export interface Identity {
  email: string;
  expiresAt: number;
}

/** Checks signature, issuer, audience, times and that the address was verified. */
export async function verifyIdentity(token: string, settings: IdentitySettings): Promise<Outcome<Identity>> {
  try {
    const { payload } = await jwtVerify(token, keySetOf(settings), {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms,
      requiredClaims: ["exp"],
    });
    const claims = claimsSchema.safeParse(payload);
    if (!claims.success) return failure(failures.invalid.code, failures.invalid.message);
    return success({ email: claims.data.email.toLowerCase(), expiresAt: claims.data.exp });
  } catch (error) {
    const unreachable = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout;
    // A key set that answers badly is reported by jose as a bare JOSEError, a bad token as one of its subclasses.
    if (unreachable || error.constructor === errors.JOSEError) {
      return failure("identity_unavailable", "The identity provider cannot be reached.", error);
    }
    return failure(failures.invalid.code, failures.invalid.message);
  }
}
