// Signing in by a link that is mailed, and by an identity token.

import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import { randomSecret } from "../platform/ids.ts";
import type { Mail } from "../platform/mail.ts";
import { clientOf } from "./client.ts";
import { insertLinkWithin, insertPortalSession, tradeLink } from "./store.ts";

const addressSchema = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.string().max(254))
  .pipe(z.email());

export interface LinkOrder {
  email: string;
  /** Network address of the asking client. */
  client: string;
  /** Origin that the link leads to. */
  origin: string;
}

/** The mail to send; null for a malformed address and past the limits, which the caller is not told. */
export async function orderLink(db: D1Database, { email, client, origin }: LinkOrder): Promise<Mail | null> {
  const address = addressSchema.safeParse(email);
  if (!address.success) return null;
  const account = address.data;
  const token = randomSecret();
  const at = nowSeconds();
  const kept = await insertLinkWithin(
    db,
    {
      digest: await sha256Hex(token),
      account,
      expiresAt: at + limits.signInLinkSeconds,
      address: await sha256Hex(account),
      client: await sha256Hex(clientOf(client)),
      at,
    },
    {
      perAddress: limits.signInLinksPerAddress,
      perClient: limits.signInLinksPerClient,
      windowSeconds: limits.signInLinkSeconds,
    },
  );
  if (!kept) return null;
  const link = `${origin}/auth/callback?token=${token}`;
  const minutes = limits.signInLinkSeconds / 60;
  return {
    to: account,
    subject: "Sign in to Visàvis",
    text:
      `Open this link to sign in. It works once, for ${minutes} minutes.\n\n${link}\n\n` +
      "If you did not ask for it, you can ignore this message.",
    link,
  };
}

export interface OpenedSession {
  /** The cookie's value; only its digest is kept. */
  secret: string;
  expiresAt: number;
}

async function newSession() {
  const secret = randomSecret();
  const createdAt = nowSeconds();
  const expiresAt = createdAt + limits.portalSessionSeconds;
  return { secret, digest: await sha256Hex(secret), createdAt, expiresAt };
}

export async function openPortalSession(db: D1Database, account: string): Promise<OpenedSession> {
  const { secret, digest, createdAt, expiresAt } = await newSession();
  await insertPortalSession(db, { digest, account, createdAt, expiresAt });
  return { secret, expiresAt };
}

/** Redeems a link's token once; null for one that is used, expired or made up. */
export async function redeemLink(db: D1Database, token: string): Promise<OpenedSession | null> {
  const { secret, digest, createdAt, expiresAt } = await newSession();
  const trade = { link: await sha256Hex(token), session: digest, createdAt, expiresAt };
  return (await tradeLink(db, trade)) ? { secret, expiresAt } : null;
}
