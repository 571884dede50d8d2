// PNG pictures (ISO/IEC 15948): written from samples, and checked when somebody else wrote them.

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Length, type and check sum around the data of every chunk. */
const chunkOverhead = 12;
const headerBytes = 13;
const truecolour = 2;
const paeth = 4;

/** CRC-32 as annex D of the standard has it, one table entry a byte. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let c = byte;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunkOverhead + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < type.length; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** An eight-bit sRGB picture: three bytes a pixel, row by row. */
export interface RgbPicture {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Rows as differences from the Paeth predictor (9.4 of the standard), which suits smooth pictures. */
function filterRows({ width, height, data }: RgbPicture): Uint8Array<ArrayBuffer> {
  const stride = 3 * width;
  const filtered = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const to = y * (stride + 1);
    filtered[to] = paeth;
    for (let i = 0; i < stride; i++) {
      const at = y * stride + i;
      const left = i >= 3 ? (data[at - 3] ?? 0) : 0;
      const above = y > 0 ? (data[at - stride] ?? 0) : 0;
      const corner = i >= 3 && y > 0 ? (data[at - stride - 3] ?? 0) : 0;
      const toLeft = Math.abs(above - corner);
      const toAbove = Math.abs(left - corner);
      const toCorner = Math.abs(left + above - 2 * corner);
      const predicted = toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner;
      filtered[to + 1 + i] = (data[at] ?? 0) - predicted;
    }
  }
  return filtered;
}

/** Encodes a picture, with keyword and text of one `tEXt` chunk for whoever asks where it came from. */
export async function encodePng(
  picture: RgbPicture,
  note?: { keyword: string; text: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  view.setUint32(0, picture.width);
  view.setUint32(4, picture.height);
  header.set([8, truecolour, 0, 0, 0], 8);
  const deflated = new Blob([filterRows(picture)]).stream().pipeThrough(new CompressionStream("deflate"));
  const samples = new Uint8Array(await new Response(deflated).arrayBuffer());
  const text = note && chunk("tEXt", new TextEncoder().encode(`${note.keyword}\0${note.text}`));
  const parts = [
    Uint8Array.from(signature),
    chunk("IHDR", header),
    ...(text ? [text] : []),
    chunk("IDAT", samples),
    chunk("IEND", new Uint8Array()),
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Width and height of a PNG, or null when the bytes are none: the signature, then whole chunks with right check sums
 * from IHDR by way of IDAT to IEND, and nothing after it. The samples are not inflated.
 */
export function inspectPng(bytes: Uint8Array): { width: number; height: number } | null {
  if (!signature.every((byte, at) => bytes[at] === byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size: { width: number; height: number } | null = null;
  let samples = false;
  let at = signature.length;
  while (at + chunkOverhead <= bytes.length) {
    const length = view.getUint32(at);
    const end = at + chunkOverhead + length;
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return null;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if ((type === "IHDR") !== (size === null)) return null;
    if (type === "IHDR") {
      if (length !== headerBytes) return null;
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
      if (size.width === 0 || size.height === 0) return null;
    }
    if (type === "IDAT") samples = true;
    if (type === "IEND") return samples && end === bytes.length ? size : null;
    at = end;
  }
  return null;
}
