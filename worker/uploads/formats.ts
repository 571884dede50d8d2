// What a file's first bytes say it is. Sources: PNG, ISO/IEC 15948, 5.2; JPEG, ITU-T T.81, B.1.1.3; MP4 and QuickTime,
// ISO/IEC 14496-12, 4.3 (the type of the first box); WebM, RFC 8794, 11.2.1 (EBML's element id).

import type { UploadType } from "../../contract/uploads.ts";

interface Signature {
  offset: number;
  bytes: readonly number[];
}

const fileTypeBox: Signature = { offset: 4, bytes: [0x66, 0x74, 0x79, 0x70] };

const signatures: Record<UploadType, Signature> = {
  "image/png": { offset: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  "image/jpeg": { offset: 0, bytes: [0xff, 0xd8, 0xff] },
  "video/mp4": fileTypeBox,
  "video/quicktime": fileTypeBox,
  "video/webm": { offset: 0, bytes: [0x1a, 0x45, 0xdf, 0xa3] },
};

/** How many of a file's first bytes tell. */
export const headBytes = 16;

/** Whether a file that begins with `head` can be of the type; false for a type that is not taken. */
export function beginsAs(type: string, head: Uint8Array): boolean {
  const signature = (signatures as Partial<Record<string, Signature>>)[type];
  if (!signature) return false;
  return signature.bytes.every((byte, at) => head[signature.offset + at] === byte);
}
