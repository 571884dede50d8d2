// The process that photographs are decoded in. On its standard input come pictures, each behind four bytes that say how long
// it is; on its standard output go answers: a line of JSON, behind four bytes that say how long it is, and the pixels.

import sharp from "sharp";
import { NOBODY } from "./confinement.ts";
import { MediaError } from "./media.ts";
import { decodePicture } from "./photo-decoding.ts";

// Nothing but what photographs need: no SVG, no PDF, no program to ask.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer"] });
sharp.cache(false);
sharp.concurrency(1);

// Root could read everything. All code is loaded, and nothing of a picture has been read.
if (process.getuid?.() === 0) becomeNobody();

const pieces: Buffer[] = [];
let have = 0;
let expected: number | undefined;

process.stdin.on("data", (piece: Buffer) => {
  pieces.push(piece);
  have += piece.length;
  if (expected === undefined && have >= 4) expected = Buffer.concat(pieces).readUInt32BE(0);
  if (expected === undefined || have < 4 + expected) return;
  const picture = Buffer.concat(pieces).subarray(4, 4 + expected);
  pieces.length = 0;
  have = 0;
  expected = undefined;
  void answer(picture);
});
process.stdin.once("end", () => process.exit(0));

function becomeNobody(): void {
  try {
    process.setgroups?.([]);
    process.setgid?.(NOBODY);
    process.setuid?.(NOBODY);
  } catch {
    // Root of a container that may not change who it is.
  }
}

async function answer(bytes: Buffer): Promise<void> {
  try {
    const { rgb, width, height } = await decodePicture(bytes);
    write({ case: "picture", width, height }, rgb);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    write({ case: "fault", fault: error.fault, message: error.message });
  }
}

function write(header: object, pixels?: Buffer): void {
  const line = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(line.length);
  process.stdout.write(Buffer.concat([length, line]));
  if (pixels) process.stdout.write(pixels);
}
