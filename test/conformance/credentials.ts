// One credential of every kind a caller could present, made as a caller would make it.

import { createHash } from "node:crypto";
import type { IdentityProvider } from "./identity-provider.ts";

export const owner = "owner@example.com";
export const stranger = "stranger@example.com";
export const admin = "admin@example.com";

export const boxSecret = "secret-of-box-a-0123456789";

/** Every kind, in the order the tables list them. */
export const credentialKinds = [
  "none",
  "malformed",
  "unknown",
  "revoked",
  "expired",
  "expired cookie",
  "signed-out cookie",
  "expired identity token",
  "stream-only",
  "full key",
  "session credential",
  "portal cookie",
  "identity token",
  "someone else's key",
  "someone else's cookie",
  "admin cookie",
  "box secret",
] as const;
export type CredentialKind = (typeof credentialKinds)[number];
export type Credentials = Record<CredentialKind, Record<string, string>>;

const expiredToken = `vv_tmp_${"E".repeat(43)}`;
const expiredCookie = "C".repeat(43);
const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Rows that ran out long ago. */
export const expiredRows = `
INSERT INTO credentials (digest, kind, scope, account, name, last4, created_at, expires_at)
  VALUES ('${digest(expiredToken)}', 'session', 'full', '${owner}', '', 'EEEE', 1, 2);
INSERT INTO portal_sessions (digest, account, created_at, expires_at)
  VALUES ('${digest(expiredCookie)}', '${owner}', 1, 2);
`;

async function jsonOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Signs in through the outbox of a local portal; headers of a browser that writes from the portal's own pages. */
export async function signIn(url: string, email: string): Promise<Record<string, string>> {
  await jsonOf(await fetch(`${url}/auth/request-link`, { method: "POST", body: JSON.stringify({ email }) }));
  const { mails } = await jsonOf<{ mails: { to: string; link: string }[] }>(await fetch(`${url}/dev/outbox`));
  const link = mails.find(({ to }) => to === email)?.link;
  if (!link) throw new Error(`No link was mailed to ${email}.`);
  const answer = await fetch(link, { redirect: "manual" });
  const cookie = answer.headers.get("Set-Cookie")?.split(";")[0];
  if (!cookie) throw new Error("The link set no cookie.");
  return { Cookie: cookie, Origin: url };
}

const post = (url: string, headers: Record<string, string>, body: object = {}) =>
  fetch(url, { method: "POST", headers, body: JSON.stringify(body) });

export async function makeKey(
  url: string,
  browser: Record<string, string>,
): Promise<{ id: string; secret: string }> {
  const answer = await post(`${url}/auth/keys`, browser, { name: "conformance" });
  return (await jsonOf<{ key: { id: string; secret: string } }>(answer)).key;
}

export async function makeCredentials(url: string, identity: IdentityProvider): Promise<Credentials> {
  const [cookie, strangerCookie, adminCookie] = [
    await signIn(url, owner),
    await signIn(url, stranger),
    await signIn(url, admin),
  ];
  const key = await makeKey(url, cookie);
  const revoked = await makeKey(url, cookie);
  await jsonOf(await fetch(`${url}/auth/keys/${revoked.id}`, { method: "DELETE", headers: cookie }));
  const { data } = await jsonOf<{ data: { token: string } }>(
    await post(`${url}/v1/streaming.create_token`, { "X-Api-Key": key.secret }, { ttl_seconds: 600 }),
  );
  const { credential } = await jsonOf<{ credential: { secret: string } }>(
    await post(`${url}/auth/session/credential`, cookie),
  );
  const strangerKey = await makeKey(url, strangerCookie);
  const signedOut = await signIn(url, owner);
  await jsonOf(await post(`${url}/auth/logout`, signedOut));
  const cookieName = (cookie["Cookie"] ?? "").split("=")[0];
  return {
    none: {},
    malformed: { "X-Api-Key": "not-a-key" },
    unknown: { "X-Api-Key": `vv_live_${"0".repeat(43)}` },
    revoked: { "X-Api-Key": revoked.secret },
    expired: { "X-Api-Key": expiredToken },
    "expired cookie": { Cookie: `${cookieName}=${expiredCookie}`, Origin: url },
    "signed-out cookie": signedOut,
    "expired identity token": { Authorization: `Bearer ${await identity.token(owner, "-1m")}` },
    "stream-only": { "X-Api-Key": data.token },
    "full key": { "X-Api-Key": key.secret },
    "session credential": { Authorization: `Bearer ${credential.secret}` },
    "portal cookie": cookie,
    "identity token": { Authorization: `Bearer ${await identity.token(owner)}` },
    "someone else's key": { "X-Api-Key": strangerKey.secret },
    "someone else's cookie": strangerCookie,
    "admin cookie": adminCookie,
    "box secret": { Authorization: `Bearer ${boxSecret}` },
  };
}
