// Tokens of the test room server, and the check that a real one makes before it opens a socket.

import type { IncomingMessage } from "node:http";
import { AccessToken, TokenVerifier, type ClaimGrants, type VideoGrant } from "livekit-server-sdk";

/** The key and secret that `livekit-server --dev` uses too. */
export const devKey = "devkey";
export const devSecret = "secret";

export interface TokenOptions {
  identity: string;
  room: string;
  /** As in the token's `kind` claim; a participant of none is an ordinary one. */
  kind?: "agent" | "egress" | "ingress" | "sip" | "standard";
  attributes?: Record<string, string>;
  grants?: VideoGrant;
  /** Seconds, or a span such as "10m"; negative ones are expired already. */
  ttl?: number | string;
  key?: string;
  secret?: string;
}

/** A token for one participant of one room. */
export async function mintToken(options: TokenOptions): Promise<string> {
  const { identity, attributes, ttl = 600, key = devKey, secret = devSecret } = options;
  const token = new AccessToken(key, secret, { identity, attributes: attributes ?? {}, ttl });
  if (options.kind) token.kind = options.kind;
  token.addGrant({ roomJoin: true, room: options.room, ...options.grants });
  return token.toJwt();
}

/** A refusal as the HTTP answer that the client sees. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Claims = ClaimGrants & { sub?: string };

/** Reads a request's token. @throws Refusal 401 without a valid one. */
export async function readClaims(request: IncomingMessage, key: string, secret: string): Promise<Claims> {
  const header = request.headers.authorization ?? "";
  const url = new URL(request.url ?? "/", "http://server");
  const token = header.replace(/^Bearer /, "") || url.searchParams.get("access_token");
  if (!token) throw new Refusal(401, "no token");
  try {
    return (await new TokenVerifier(key, secret).verify(token)) as Claims;
  } catch (error) {
    throw new Refusal(401, `invalid token: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

/** What a participant may do once in. @throws Refusal 401 where the token lets nobody into a room. */
export function requireJoin(claims: Claims): { identity: string; room: string; grants: VideoGrant } {
  const grants = claims.video ?? {};
  if (!claims.sub) throw new Refusal(401, "identity cannot be empty");
  if (!grants.roomJoin || !grants.room) throw new Refusal(401, "permissions denied");
  return { identity: claims.sub, room: grants.room, grants };
}
