// Who the person is to the portal, and how they come and go.

import type { z } from "zod";
import {
  meSchema,
  outboxSchema,
  requestLinkAnswerSchema,
  sessionCredentialSchema,
} from "../../contract/credentials.ts";
import { asVisavisError, type CredentialGrant } from "../sdk/index.ts";
import { fetchPortal, requestPortal } from "./request.ts";

export type Me = z.infer<typeof meSchema>;

/** The same link on the page's own origin, so that the cookie lands where the person already is. */
export function onThisOrigin(link: string, origin: string): string {
  const url = new URL(link, origin);
  return origin + url.pathname + url.search;
}

export const portal = {
  /** Null when nobody is signed in. */
  async me(): Promise<Me | null> {
    try {
      return await requestPortal("/auth/me", meSchema, { anonymous: true });
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (error.status === 401) return null;
      throw error;
    }
  },

  /** Resolves with the sentence to show; it is the same for every address. */
  async requestLink(email: string): Promise<string> {
    const request = { method: "POST", json: { email }, anonymous: true } as const;
    return (await requestPortal("/auth/request-link", requestLinkAnswerSchema, request)).message;
  },

  /** The newest sign-in link for an address, on a local portal; null elsewhere, or while there is none. */
  async outboxLink(email: string): Promise<string | null> {
    let mails: z.infer<typeof outboxSchema>["mails"];
    try {
      ({ mails } = await requestPortal("/dev/outbox", outboxSchema, { anonymous: true }));
    } catch {
      // Other portals answer that there is no such path, or with a page of theirs.
      return null;
    }
    const wanted = email.trim().toLowerCase();
    const mail = mails.find((candidate) => candidate.link && candidate.to.toLowerCase() === wanted);
    return mail?.link ? onThisOrigin(mail.link, location.origin) : null;
  },

  /** A credential that boxes accept, for the page's memory only. */
  async sessionCredential(): Promise<CredentialGrant> {
    const request = { method: "POST" } as const;
    return (await requestPortal("/auth/session/credential", sessionCredentialSchema, request)).credential;
  },

  async signOut(): Promise<void> {
    await fetchPortal("/auth/logout", { method: "POST", anonymous: true });
  },
};
