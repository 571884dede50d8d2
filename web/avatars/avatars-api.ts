// The portal's library routes, as the pages of this folder call them.

import type { z } from "zod";
import {
  type PublicationConsent,
  publicationConsentSchema,
  publicationTermsSchema,
} from "../../contract/consents.ts";
import {
  assetsSchema,
  clipVideoSchema,
  type ErasureReceipt,
  erasureReceiptSchema,
  type LibraryAvatar,
  libraryAvatarAnswerSchema,
  libraryListSchema,
  portalClipListSchema,
  type PublicAvatar,
  publicListSchema,
} from "../../contract/library.ts";
import type { Tone } from "../../contract/tones.ts";
import { requestPortal } from "../portal/request.ts";

export type Assets = z.infer<typeof assetsSchema>;
export type ClipList = z.infer<typeof portalClipListSchema>;
export type ClipVideo = z.infer<typeof clipVideoSchema>;
export type PublicationTerms = z.infer<typeof publicationTermsSchema>["terms"];
export type Visibility = LibraryAvatar["visibility"];

/** Every method rejects with `VisavisError`. */
export interface AvatarsApi {
  own(): Promise<LibraryAvatar[]>;
  published(): Promise<PublicAvatar[]>;
  assets(id: string): Promise<Assets>;
  clips(id: string): Promise<ClipList>;
  clipVideo(id: string, tone: Tone): Promise<ClipVideo>;
  setVisibility(id: string, visibility: Visibility): Promise<LibraryAvatar>;
  terms(): Promise<PublicationTerms>;
  agree(id: string, termsVersion: string): Promise<PublicationConsent>;
  withdrawAgreement(id: string): Promise<PublicationConsent>;
  erase(id: string): Promise<ErasureReceipt>;
}

const pathOf = (id: string): string => `/auth/avatars/${encodeURIComponent(id)}`;

/** The routes of the portal the page came from. */
export const avatarsApi: AvatarsApi = {
  own: async () => (await requestPortal("/auth/avatars", libraryListSchema)).avatars,
  published: async () => (await requestPortal("/auth/avatars/public", publicListSchema)).avatars,
  assets: (id) => requestPortal(`${pathOf(id)}/assets`, assetsSchema),
  clips: (id) => requestPortal(`${pathOf(id)}/clips`, portalClipListSchema),
  clipVideo: (id, tone) => requestPortal(`${pathOf(id)}/clips/${tone}/video`, clipVideoSchema),
  setVisibility: async (id, visibility) => {
    const request = { method: "PUT", json: { visibility } } as const;
    return (await requestPortal(`${pathOf(id)}/visibility`, libraryAvatarAnswerSchema, request)).avatar;
  },
  terms: async () => (await requestPortal("/auth/avatars/publication-terms", publicationTermsSchema)).terms,
  agree: async (id, termsVersion) => {
    const request = { method: "POST", json: { avatar_id: id, terms_version: termsVersion } } as const;
    const answer = await requestPortal("/auth/publication-consents", publicationConsentSchema, request);
    return answer.publication_consent;
  },
  withdrawAgreement: async (id) => {
    const path = `/auth/publication-consents/${encodeURIComponent(id)}`;
    const answer = await requestPortal(path, publicationConsentSchema, { method: "DELETE" });
    return answer.publication_consent;
  },
  erase: (id) => requestPortal(pathOf(id), erasureReceiptSchema, { method: "DELETE" }),
};
