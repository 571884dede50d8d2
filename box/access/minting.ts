// Stream-only tokens, minted where the key that asks is kept.

import { createTokenResponseSchema } from "../../contract/credentials.ts";
import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import type { Caller } from "./caller.ts";

export interface MintRequest {
  caller: Caller;
  /** What the caller presented. */
  secret: string;
  ttlSeconds: number | undefined;
}

export interface Token {
  token: string;
  /** Epoch seconds. */
  expires_at: number;
}

export interface Minting {
  /** Rejects with Refusal. */
  mint(request: MintRequest): Promise<Token>;
}

const { min, max, default: fallback } = limits.tokenTtlSeconds;

/** How long a token lives that was asked for so. */
export function tokenTtl(asked: number | undefined): number {
  return Math.min(max, Math.max(min, Math.floor(asked ?? fallback)));
}

/** A box whose keys are all in its own environment. */
export const noMinting: Minting = {
  mint: () => Promise.reject(new Refusal("mint_failed", "This box keeps no key table to write a token to.")),
};

const answerWithinMs = 5_000;

/** Passes the question on to the portal, which knows the key and writes the token where every box reads it. */
export function portalMinting(portalUrl: string): Minting {
  const failed = (cause?: unknown) =>
    new Refusal("mint_failed", "The portal did not mint the token; try again.", { cause });
  return {
    async mint({ secret, ttlSeconds }) {
      const response = await fetch(`${portalUrl}/v1/streaming.create_token`, {
        method: "POST",
        headers: { "X-Api-Key": secret, "Content-Type": "application/json" },
        body: JSON.stringify({ ttl_seconds: tokenTtl(ttlSeconds) }),
        redirect: "error",
        signal: AbortSignal.timeout(answerWithinMs),
      }).catch((error: unknown) => {
        throw failed(error);
      });
      const body: unknown = await response.json().catch(() => null);
      if (response.status === 401)
        throw new Refusal("invalid_api_key", "The API key is not recognised, was revoked or has expired.", {
          headers: { "WWW-Authenticate": "Bearer" },
        });
      const minted = createTokenResponseSchema.safeParse(body);
      if (!response.ok || !minted.success) throw failed(new Error(`the portal answered ${response.status}`));
      const { token, expires_at } = minted.data.data;
      return { token, expires_at };
    },
  };
}
