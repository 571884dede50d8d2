// The avatar library, uploads, consents, portraits and stills.

import * as consents from "../../contract/consents.ts";
import * as library from "../../contract/library.ts";
import * as portraits from "../../contract/portraits.ts";
import * as open from "../../contract/public.ts";
import * as uploads from "../../contract/uploads.ts";
import { no, nobody, ok, zeros, type Route } from "./route.ts";

export const avatarRoutes: Route[] = [
  // The library.
  { method: "GET", template: "/auth/avatars", policy: "portal", answer: ok(200, library.libraryListSchema) },
  {
    method: "GET",
    template: "/auth/avatars/public",
    policy: "portal",
    answer: ok(200, library.publicListSchema),
  },
  { method: "GET", template: "/auth/avatars/tones", policy: "portal", answer: ok(200, open.toneListSchema) },
  {
    method: "GET",
    template: "/auth/avatars/publication-terms",
    policy: "portal",
    answer: ok(200, consents.publicationTermsSchema),
  },
  {
    method: "GET",
    template: "/auth/avatars/{id}/assets",
    policy: "portal",
    path: ({ avatar }) => `/auth/avatars/${avatar}/assets`,
    answer: ok(200, library.assetsSchema),
    foreign: no(404, "avatar_not_found"),
  },
  {
    method: "GET",
    template: "/auth/avatars/{id}/clips",
    policy: "portal or full key",
    path: ({ avatar }) => `/auth/avatars/${avatar}/clips`,
    answer: ok(200, library.portalClipListSchema),
    foreign: no(404, "unknown_avatar"),
  },
  {
    method: "GET",
    template: "/auth/avatars/{id}/clips/{tone}/video",
    policy: "portal or full key",
    path: ({ avatar }) => `/auth/avatars/${avatar}/clips/happy/video`,
    answer: ok(200, library.clipVideoSchema),
    foreign: no(404, "unknown_avatar"),
  },
  {
    method: "PUT",
    template: "/auth/avatars/{id}/visibility",
    policy: "portal",
    path: ({ avatar }) => `/auth/avatars/${avatar}/visibility`,
    body: { visibility: "private" },
    answer: ok(200, library.libraryAvatarAnswerSchema),
    foreign: no(404, "avatar_not_found"),
  },
  {
    method: "DELETE",
    template: "/auth/avatars/{id}",
    policy: "portal or full key",
    path: () => `/auth/avatars/${nobody}`,
    answer: no(404, "avatar_not_found"),
  },

  // Uploads, consents, portraits, stills.
  {
    method: "POST",
    template: "/auth/uploads",
    policy: "portal or full key",
    body: { files: [{ field: "file", filename: "a.png", content_type: "image/png", size: 10 }] },
    answer: ok(201, uploads.uploadGrantSchema),
  },
  {
    method: "GET",
    template: "/auth/consents",
    policy: "portal or full key",
    answer: ok(200, consents.consentListSchema),
  },
  {
    method: "POST",
    template: "/auth/consents",
    policy: "portal or full key",
    body: { sha256: zeros, source_kind: "photo", attested: true },
    answer: ok(201, consents.consentCreatedSchema),
  },
  {
    method: "POST",
    template: "/auth/publication-consents",
    policy: "portal",
    body: { avatar_id: nobody, terms_version: "none" },
    answer: no(409, "terms_outdated"),
  },
  {
    method: "DELETE",
    template: "/auth/publication-consents/{avatar_id}",
    policy: "portal",
    path: () => `/auth/publication-consents/${nobody}`,
    answer: no(404, "publication_consent_not_found"),
  },
  {
    method: "POST",
    template: "/auth/portraits",
    policy: "portal",
    body: { persona: "" },
    answer: no(400, "invalid_body"),
  },
  {
    method: "GET",
    template: "/auth/portraits/{id}",
    policy: "portal",
    path: ({ portrait }) => `/auth/portraits/${portrait}`,
    answer: ok(200, portraits.portraitSchema),
    foreign: no(404, "unknown_portrait"),
  },
  {
    method: "POST",
    template: "/auth/portraits/{id}/approve",
    policy: "portal",
    path: ({ portrait }) => `/auth/portraits/${portrait}/approve`,
    body: { sha256: zeros },
    answer: no(409, "portrait_changed"),
    foreign: no(404, "unknown_portrait"),
  },
  {
    method: "POST",
    template: "/auth/portraits/{id}/regenerate",
    policy: "portal",
    path: () => `/auth/portraits/${nobody}/regenerate`,
    answer: no(404, "unknown_portrait"),
  },
  {
    method: "POST",
    template: "/auth/seated-still",
    policy: "portal or full key",
    body: { upload_id: nobody },
    answer: no(404, "unknown_upload"),
  },
  {
    method: "GET",
    template: "/auth/seated-still/{jobId}",
    policy: "portal or full key",
    path: () => `/auth/seated-still/${nobody}`,
    answer: no(404, "unknown_job"),
  },
];
