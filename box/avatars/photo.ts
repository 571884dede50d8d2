import sharp from "sharp";
import type { Sharp } from "sharp";
import type { ErrorCode } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { MediaError, type Media, type MediaFault } from "../media/media.ts";
import type { Picture } from "../media/picture.ts";
import { AvatarError } from "./errors.ts";

/** Shorter side. */
const MIN_PHOTO_SIDE = 128;

const codes: Record<MediaFault, ErrorCode> = {
  unreadable: "image_unreadable",
  unsupported: "image_unsupported",
  too_large: "image_too_many_pixels",
  too_long: "image_unreadable",
  too_slow: "image_unreadable",
};

/**
 * A PNG or JPEG photograph as it is to be looked at, decoded in a process of its own. Throws AvatarError: what is wrong with
 * the picture.
 */
export async function decodePhoto(
  bytes: Uint8Array,
  media: Pick<Media, "photo">,
  signal?: AbortSignal,
): Promise<Picture> {
  if (bytes.length > limits.imageBytes) {
    throw new AvatarError(
      "image_too_large",
      `A photograph may have at most ${limits.imageBytes / 1024 / 1024} MB.`,
    );
  }
  const picture = await media.photo(bytes, signal).catch((error: unknown) => {
    throw error instanceof MediaError ? new AvatarError(codes[error.fault], error.message) : error;
  });
  if (Math.min(picture.width, picture.height) < MIN_PHOTO_SIDE) {
    throw new AvatarError(
      "image_too_small",
      `The picture needs at least ${MIN_PHOTO_SIDE} pixels on its shorter side.`,
    );
  }
  return picture;
}

/** Opens a decoded picture for further processing. */
export function openPicture({ rgb, width, height }: Picture): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 }, limitInputPixels: false });
}
