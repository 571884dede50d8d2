// The codes and envelopes of every failure either plane answers with.

import { z } from "zod";

/** Every machine-readable code and the status it travels with. Clients branch on the code, never on the message. */
export const errorStatus = {
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 401,
  not_found: 404,
  method_not_allowed: 405,
  internal: 500,
  invalid_body: 400,
  body_too_large: 413,
  cross_origin: 409,
  /** Of a key, or of an avatar. */
  invalid_name: 400,
  // Keys and credentials.
  key_limit_reached: 409,
  key_not_found: 404,
  mint_failed: 503,
  auth_disabled: 400,
  /** The signing keys of the identity provider cannot be fetched. */
  identity_unavailable: 503,
  // Settings and models.
  setting_refused: 400,
  settings_unavailable: 503,
  models_unavailable: 503,
  // Front door and boxes.
  box_unavailable: 503,
  lifecycle_unavailable: 503,
  /** An administrator named a box that the registry does not know. */
  unknown_box: 404,
  // Uploads and stored media.
  invalid_upload: 400,
  /** Of a box: the grant is unknown, somebody else's, or its files have not all arrived. */
  unknown_upload: 404,
  upload_too_large: 413,
  uploads_unavailable: 503,
  clip_video_unavailable: 503,
  /** Signed URLs need an S3 endpoint, and this portal has none. */
  media_unavailable: 503,
  // Consents.
  consents_unavailable: 503,
  terms_outdated: 409,
  publication_consent_required: 409,
  publication_consent_unavailable: 503,
  /** A withdrawal of an agreement that was never made. */
  publication_consent_not_found: 404,
  // The library.
  avatar_not_found: 404,
  invalid_visibility: 400,
  // Portraits and stills.
  /** Too many of them within the hour; `Retry-After` says when there is room again. */
  rate_limited: 429,
  unknown_portrait: 404,
  portrait_changed: 409,
  portrait_failed: 502,
  unknown_job: 404,
  seated_still_unavailable: 503,
  // Session history.
  invalid_cursor: 400,
  session_field_not_editable: 400,
  sessions_unavailable: 503,
  // The voice vault and catalogue.
  key_rejected: 400,
  voice_key_required: 409,
  vault_unavailable: 503,
  unknown_voice: 404,
  preview_text_empty: 400,
  preview_text_too_long: 400,
  preview_rate_limited: 429,
  // Live sessions.
  invalid_offer: 400,
  /** As RFC 9725, section 4.3, wants it where candidates may trickle but ICE cannot restart. */
  ice_restart_unsupported: 422,
  session_not_found: 404,
  no_live_session: 409,
  credential_unverified: 503,
  // Rooms.
  /** A field is missing or is not what it must be, or a length is over a ceiling. */
  rtc_bad_request: 400,
  /** The box has a session already, or is about to. */
  rtc_session_in_use: 409,
  /** Somebody left before the join was done. */
  rtc_join_aborted: 409,
  /** The room that is to be left is not the one the box is in. */
  rtc_not_in_room: 409,
  rtc_join_failed: 502,
  rtc_identity_mismatch: 502,
  /** The box ends before the call would. */
  box_draining: 503,
  rtc_unavailable: 503,
  /** While a room is live only the account that joined it may end or drive it. */
  rtc_not_owner: 403,
  rtc_owner_unverified: 503,
  // Turns: `_failed` broke on this turn, `_unavailable` is not configured.
  model_failed: 502,
  model_unavailable: 503,
  voice_failed: 502,
  /** Of a turn: the moderation screen left nothing of the caller's message, or of the reply. */
  message_refused: 400,
  reply_refused: 502,
  voice_unavailable: 503,
  // Avatars.
  unknown_avatar: 404,
  avatar_not_ready: 404,
  avatar_busy: 409,
  stock_avatar: 400,
  too_many_builds: 429,
  library_closed: 503,
  feature_disabled: 501,
  /** The disk of the box is full; nothing was kept. */
  storage_full: 503,
  // Clips of delivery tones, in the order in which they are refused.
  unknown_tone: 400,
  avatar_clips_unavailable: 501,
  consent_required: 403,
  clip_already_generating: 409,
  clip_generator_unavailable: 503,
  /** A tone that has no clip to play. */
  clip_not_found: 404,
  /** The avatar is there, but not every clip that was asked for with it. */
  clip_failed: 502,
  // Photographs.
  invalid_framing: 400,
  image_unreadable: 400,
  image_unsupported: 400,
  image_too_large: 413,
  image_too_many_pixels: 413,
  image_too_small: 400,
  no_face: 400,
  several_faces: 400,
  face_too_small: 400,
  face_turned_away: 400,
  face_unusable: 400,
  // Footage.
  video_unreadable: 400,
  video_unsupported: 400,
  video_too_large: 413,
  video_too_short: 400,
  video_too_long: 400,
  video_too_small: 400,
  /** A video must be declared as made by AI before it may stand for a photograph. */
  declaration_required: 400,
  // Sound files, and clips of a voice to be cloned.
  audio_unreadable: 400,
  audio_unsupported: 400,
  audio_too_large: 413,
  audio_too_short: 400,
  audio_too_long: 400,
  unknown_audio: 404,
  voice_clones_unavailable: 400,
  // Recordings of sessions.
  recordings_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** `{error:{code, message}}`: every `/auth/*` route and the newer box routes. */
export const structuredErrorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
});

/** `{code, message}`: every 401 on both planes, and all failures of `POST /v1/streaming.create_token`. */
export const unwrappedErrorSchema = z.object({ code: z.string(), message: z.string() });

/** `{error:"<sentence>"}`: the older box routes. What they say of a room's owner has its code beside the sentence. */
export const flatErrorSchema = z.object({
  error: z.string(),
  code: z.enum(["rtc_not_owner", "rtc_owner_unverified"]).optional(),
});

/** Which of the three envelopes a route answers with. A 401 is unwrapped on every route. */
export type Envelope = "structured" | "unwrapped" | "flat";

export interface Failure {
  code: ErrorCode;
  message: string;
}

/** Two refusals that routes of every envelope have, and that a client must tell apart. */
const isOwnerCode = (code: ErrorCode) => code === "rtc_not_owner" || code === "rtc_owner_unverified";

/** The body a failure becomes on a route of the given envelope. */
export function errorBody(envelope: Envelope, { code, message }: Failure): object {
  if (errorStatus[code] === 401 || envelope === "unwrapped") return { code, message };
  if (envelope === "structured") return { error: { code, message } };
  return isOwnerCode(code) ? { error: message, code } : { error: message };
}
