// The portal as the signed-in person's browser sees it: same origin, by cookie.

import type { z } from "zod";
import type {
  meSchema,
  outboxSchema,
  requestLinkAnswerSchema,
  sessionCredentialSchema,
} from "../../contract/credentials.ts";
import { asVisavisError, type CredentialGrant, errorFromResponse } from "../sdk/index.ts";

type Me = z.infer<typeof meSchema>;

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: "same-origin", signal: AbortSignal.timeout(15_000) });
  } catch (thrown) {
    throw asVisavisError(thrown);
  }
}

async function post(path: string, body?: object): Promise<Response> {
  const response = await call(path, {
    method: "POST",
    ...(body ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw await errorFromResponse(response);
  return response;
}

/** A portal that serves the page for unknown paths answers HTML with 200; only JSON counts. */
function isJson(response: Response): boolean {
  return response.headers.get("Content-Type")?.includes("application/json") ?? false;
}

/** The same link on the page's own origin, so that the cookie lands where the person already is. */
export function onThisOrigin(link: string, origin: string): string {
  const url = new URL(link, origin);
  return origin + url.pathname + url.search;
}

export const portal = {
  /** Null when nobody is signed in. */
  async me(): Promise<Me | null> {
    const response = await call("/auth/me");
    if (response.status === 401) return null;
    if (!response.ok) throw await errorFromResponse(response);
    return (await response.json()) as Me;
  },

  /** Resolves with the sentence to show; it is the same for every address. */
  async requestLink(email: string): Promise<string> {
    const response = await post("/auth/request-link", { email });
    return ((await response.json()) as z.infer<typeof requestLinkAnswerSchema>).message;
  },

  /** The newest sign-in link for an address, on a local portal; null elsewhere, or while there is none. */
  async outboxLink(email: string): Promise<string | null> {
    const response = await call("/dev/outbox");
    if (!response.ok || !isJson(response)) return null;
    const { mails } = (await response.json()) as z.infer<typeof outboxSchema>;
    const wanted = email.trim().toLowerCase();
    const mail = mails.find((candidate) => candidate.link && candidate.to.toLowerCase() === wanted);
    return mail?.link ? onThisOrigin(mail.link, location.origin) : null;
  },

  /** A credential that boxes accept, for the page's memory only. */
  async sessionCredential(): Promise<CredentialGrant> {
    const response = await post("/auth/session/credential");
    return ((await response.json()) as z.infer<typeof sessionCredentialSchema>).credential;
  },

  async signOut(): Promise<void> {
    await post("/auth/logout");
  },
};
