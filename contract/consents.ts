// Who agreed to what: likenesses, publication, recording. No record names its owner.

import { z } from "zod";

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 digest in lower-case hex");

/** `POST /auth/consents`: the caller may use the likeness in exactly these bytes. */
export const consentRequestSchema = z.strictObject({
  sha256: sha256Schema,
  source_kind: z.enum(["photo", "image", "video"]),
  attested: z.literal(true),
});
export type ConsentRequest = z.infer<typeof consentRequestSchema>;

/** `consent_id` cannot be guessed: it is the `consent_token` of an avatar's creation. */
export const consentSchema = z.object({
  consent_id: z.string(),
  sha256: sha256Schema,
  attested_at: z.int(),
  source_kind: z.enum(["photo", "image", "video"]),
});
export type Consent = z.infer<typeof consentSchema>;
export const consentCreatedSchema = z.object({ consent: consentSchema });
export const consentListSchema = z.object({ consents: z.array(consentSchema) });

/** `POST /auth/publication-consents`; each call records a new agreement. */
export const publicationRequestSchema = z.strictObject({
  avatar_id: z.string().min(1).max(200),
  terms_version: z.string().min(1).max(64),
});

export const publicationConsentSchema = z.object({
  publication_consent: z.object({
    attestation_id: z.string(),
    avatar_id: z.string(),
    terms_version: z.string(),
    terms_sha256: sha256Schema,
    attested_at: z.int(),
    withdrawn_at: z.int().nullable(),
  }),
});
export type PublicationConsent = z.infer<typeof publicationConsentSchema>["publication_consent"];

/** `GET /auth/avatars/publication-terms`: the digest is that of the text's UTF-8 bytes. */
export const publicationTermsSchema = z.object({
  terms: z.object({ version: z.string(), text: z.string(), sha256: sha256Schema }),
});

/** `GET /auth/recordings/terms`, without a credential. */
export const recordingTermsSchema = z.object({ text: z.string(), version: z.string(), digest: sha256Schema });
