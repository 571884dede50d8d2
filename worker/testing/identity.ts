// A main user pool for tests: it signs identity tokens and serves the keys to check them with.

import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import { vi } from "vitest";

export const identityProvider = {
  jwksUrl: "https://identity.test/jwks.json",
  issuer: "https://identity.test/",
  audience: "visavis",
} as const;

const pair = generateKeyPair("ES256", { extractable: true });

/** Answers the portal's fetches of the key set; all others go where they went. */
export function serveIdentityKeys(): void {
  const original = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url !== identityProvider.jwksUrl) return original(input, init);
    const { publicKey } = await pair;
    return Response.json({
      keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }],
    });
  });
}

export interface TokenFacts {
  claims?: JWTPayload;
  issuer?: string;
  audience?: string;
  expiresIn?: string;
}

export async function identityToken({
  claims = { email: "Person@Example.com", email_verified: true },
  issuer = identityProvider.issuer,
  audience = identityProvider.audience,
  expiresIn = "5m",
}: TokenFacts = {}): Promise<string> {
  const { privateKey } = await pair;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: "k1" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expiresIn)
    .sign(privateKey);
}
