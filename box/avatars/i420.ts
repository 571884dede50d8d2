import type { Picture } from "../media/picture.ts";

/** Bytes of an I420 frame with even sides. */
export const i420Bytes = (width: number, height: number) => (width * height * 3) / 2;

/** A frame in BT.709 limited range as RGB: ITU-R BT.709-6, item 3, the way back. */
export function i420ToPicture(frame: Uint8Array, width: number, height: number): Picture {
  if (frame.length !== i420Bytes(width, height)) throw new RangeError("The frame has another size.");
  const rgb = Buffer.allocUnsafe(width * height * 3);
  const clamped = new Uint8ClampedArray(rgb.buffer, rgb.byteOffset, rgb.length);
  const half = width / 2;
  const uAt = width * height;
  const vAt = uAt + uAt / 4;
  for (let y = 0, at = 0, out = 0; y < height; y += 1) {
    const row = (y >> 1) * half;
    for (let x = 0; x < width; x += 1, at += 1, out += 3) {
      const luma = ((frame[at] ?? 0) - 16) * (255 / 219);
      const u = ((frame[uAt + row + (x >> 1)] ?? 0) - 128) * (255 / 224);
      const v = ((frame[vAt + row + (x >> 1)] ?? 0) - 128) * (255 / 224);
      clamped[out] = luma + 1.5748 * v;
      clamped[out + 1] = luma - 0.1873 * u - 0.4681 * v;
      clamped[out + 2] = luma + 1.8556 * u;
    }
  }
  return { rgb, width, height };
}
