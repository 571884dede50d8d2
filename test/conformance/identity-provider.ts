// A main user pool: serves its signing keys over HTTP and signs identity tokens.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export interface IdentityProvider {
  /** What the portal is told of it. */
  variables: Record<"IDENTITY_JWKS_URL" | "IDENTITY_ISSUER" | "IDENTITY_AUDIENCE", string>;
  /** @param expiresIn As jose takes it: "5m", or "-1m" for one that has run out. */
  token(email: string, expiresIn?: string): Promise<string>;
  close(): void;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const keys = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }],
  });
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(keys);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const variables = {
    IDENTITY_JWKS_URL: `${origin}/jwks.json`,
    IDENTITY_ISSUER: `${origin}/`,
    IDENTITY_AUDIENCE: "visavis",
  };
  return {
    variables,
    token: (email, expiresIn = "1h") =>
      new SignJWT({ email, email_verified: true })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .setIssuer(variables.IDENTITY_ISSUER)
        .setAudience(variables.IDENTITY_AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(expiresIn)
        .sign(privateKey),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
