import sharp from "sharp";
import type { Sharp } from "sharp";
import { limits } from "../../contract/limits.ts";
import { AvatarError } from "./errors.ts";

/** An upright picture in sRGB, 8 bit, three interleaved channels without row padding. */
export interface Picture {
  rgb: Buffer;
  width: number;
  height: number;
}

/** Shorter side. */
const MIN_PHOTO_SIDE = 128;
/** Larger pictures are reduced while decoding: no avatar shows more detail than this holds. */
const MAX_KEPT_SIDE = 3_072;
/** What a transparent picture is laid on: a light wall. */
const BACKGROUND = { r: 224, g: 224, b: 224 };

/**
 * Decodes a PNG or JPEG photograph, told by its content and never by its name: turned upright by its EXIF orientation,
 * CMYK, grey and 16-bit pictures converted to sRGB, transparency laid on a light background, at most 3072 pixels a side.
 * Size and format are judged from the header, before anything is decoded. Throws AvatarError.
 */
export async function decodePhoto(bytes: Uint8Array): Promise<Picture> {
  if (bytes.length > limits.imageBytes) {
    throw new AvatarError(
      "image_too_large",
      `A photograph may have at most ${limits.imageBytes / 1024 / 1024} MB.`,
    );
  }
  await checkHeader(bytes);
  try {
    const { data, info } = await sharp(bytes, { failOn: "truncated", limitInputPixels: limits.imagePixels })
      .autoOrient()
      .resize({ width: MAX_KEPT_SIDE, height: MAX_KEPT_SIDE, fit: "inside", withoutEnlargement: true })
      .flatten({ background: BACKGROUND })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return { rgb: threeChannels(data, info.channels), width: info.width, height: info.height };
  } catch {
    throw new AvatarError(
      "image_unreadable",
      "The picture is damaged or incomplete and could not be decoded.",
    );
  }
}

async function checkHeader(bytes: Uint8Array): Promise<void> {
  if (!isJpeg(bytes) && !isPng(bytes)) {
    throw new AvatarError("image_unsupported", "The file is not a PNG or JPEG picture.");
  }
  if (isPng(bytes) && isAnimatedPng(bytes)) {
    throw new AvatarError("image_unsupported", "The picture is animated; send a still PNG or JPEG.");
  }
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw new AvatarError("image_unreadable", "The picture is damaged: its header cannot be read.");
    });
  const { width, height } = header;
  if (width * height > limits.imagePixels) {
    throw new AvatarError(
      "image_too_many_pixels",
      `The picture has ${Math.round((width * height) / 1e6)} megapixels; at most ${limits.imagePixels / 1e6} are taken.`,
    );
  }
  if (Math.min(width, height) < MIN_PHOTO_SIDE) {
    throw new AvatarError(
      "image_too_small",
      `The picture needs at least ${MIN_PHOTO_SIDE} pixels on its shorter side.`,
    );
  }
}

function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

function isPng(bytes: Uint8Array): boolean {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  return signature.every((byte, index) => bytes[index] === byte);
}

/** An animation control chunk stands before the first image data (PNG third edition, section 11.3.6). */
function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= view.length; at += 12 + view.readUInt32BE(at)) {
    const type = view.toString("latin1", at + 4, at + 8);
    if (type === "acTL") return true;
    if (type === "IDAT") return false;
  }
  return false;
}

function threeChannels(data: Buffer, channels: number): Buffer {
  if (channels === 3) return data;
  const pixels = data.length / channels;
  const rgb = Buffer.allocUnsafe(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      rgb[pixel * 3 + channel] = data[pixel * channels + (channels >= 3 ? channel : 0)] ?? 0;
    }
  }
  return rgb;
}

/** Opens a decoded picture for further processing. */
export function openPicture({ rgb, width, height }: Picture): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 }, limitInputPixels: false });
}
