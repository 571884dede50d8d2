// How a photograph becomes pixels. Runs in the process that photographs are decoded in, never in the box itself.

import sharp from "sharp";
import { limits } from "../../contract/limits.ts";
import type { Picture } from "./picture.ts";
import { MediaError } from "./media.ts";

/** Larger pictures are reduced while decoding: no avatar shows more detail than this holds. */
export const MAX_KEPT_SIDE = 3_072;
/** What a transparent picture is laid on: a light wall. */
const BACKGROUND = { r: 224, g: 224, b: 224 };

/**
 * Decodes a PNG or JPEG photograph, told by its content and never by its name: turned upright by its EXIF orientation,
 * CMYK, grey and 16-bit pictures converted to sRGB, transparency laid on a light background, at most 3072 pixels a side.
 * Size and format are judged from the header, before anything is decoded. Throws MediaError.
 */
export async function decodePicture(bytes: Uint8Array): Promise<Picture> {
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
    throw new MediaError("unreadable", "The picture is damaged or incomplete and could not be decoded.");
  }
}

/** What the first bytes alone tell; it costs no decoder. Throws MediaError unsupported. */
export function checkPictureKind(bytes: Uint8Array): void {
  if (!isJpeg(bytes) && !isPng(bytes)) {
    throw new MediaError("unsupported", "The file is not a PNG or JPEG picture.");
  }
  if (isPng(bytes) && isAnimatedPng(bytes)) {
    throw new MediaError("unsupported", "The picture is animated; send a still PNG or JPEG.");
  }
}

async function checkHeader(bytes: Uint8Array): Promise<void> {
  checkPictureKind(bytes);
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw new MediaError("unreadable", "The picture is damaged: its header cannot be read.");
    });
  const { width, height } = header;
  if (width * height > limits.imagePixels) {
    throw new MediaError(
      "too_large",
      `The picture has ${Math.round((width * height) / 1e6)} megapixels; at most ${limits.imagePixels / 1e6} are taken.`,
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
