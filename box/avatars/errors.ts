export type AvatarErrorCode =
  | "image_unreadable"
  | "image_unsupported"
  | "image_too_large"
  | "image_too_many_pixels"
  | "image_too_small"
  | "no_face"
  | "several_faces"
  | "face_too_small"
  | "face_turned_away"
  | "face_unusable"
  | "invalid_framing"
  | "invalid_name"
  | "unknown_avatar"
  | "avatar_not_ready"
  | "avatar_busy"
  | "stock_avatar"
  | "too_many_builds"
  | "library_closed";

const STATUS: Partial<Record<AvatarErrorCode, number>> = {
  image_too_large: 413,
  image_too_many_pixels: 413,
  unknown_avatar: 404,
  avatar_not_ready: 404,
  avatar_busy: 409,
  too_many_builds: 429,
  library_closed: 503,
};

/** A refusal whose message may be shown to the person who uploaded the picture. `status` is the HTTP status to answer with. */
export class AvatarError extends Error {
  readonly code: AvatarErrorCode;
  readonly status: number;

  constructor(code: AvatarErrorCode, message: string) {
    super(message);
    this.name = "AvatarError";
    this.code = code;
    this.status = STATUS[code] ?? 400;
  }
}
