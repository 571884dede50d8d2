// What kind of file it is, by its first bytes: a name says nothing, and a program that guesses may be led to guess wrong.

import { open } from "node:fs/promises";
import { MediaError } from "./media.ts";

/** As FFmpeg's demuxers are called. No other is ever opened: a playlist or a script is no file of these kinds. */
export type Demuxer = "mov" | "matroska" | "wav" | "mp3" | "ogg" | "flac";

const HEAD_BYTES = 64;
/** Top-level boxes that a QuickTime or MP4 file may begin with. */
const firstBoxes = new Set(["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]);

/** Rejects with MediaError unreadable for an empty file and unsupported for one of another kind. */
export async function demuxerOf(path: string): Promise<Demuxer> {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = await open(path, "r");
  let size: number;
  try {
    size = (await file.read(head, 0, HEAD_BYTES, 0)).bytesRead;
  } finally {
    await file.close();
  }
  if (size === 0) throw new MediaError("unreadable", "The file is empty.");
  const demuxer = demuxerOfHead(head.subarray(0, size));
  if (demuxer) return demuxer;
  throw new MediaError(
    "unsupported",
    "The file is of no kind that is read here: MP4, MOV, M4A, WebM, MKV, WAV, MP3, OGG or FLAC.",
  );
}

function demuxerOfHead(head: Buffer): Demuxer | undefined {
  const text = (from: number, to: number) => head.toString("latin1", from, to);
  if (head.length < 4) return undefined;
  if (firstBoxes.has(text(4, 8))) return "mov";
  if (head.readUInt32BE(0) === 0x1a45dfa3) return "matroska";
  if ((text(0, 4) === "RIFF" || text(0, 4) === "RF64") && text(8, 12) === "WAVE") return "wav";
  if (text(0, 4) === "OggS") return "ogg";
  if (text(0, 4) === "fLaC") return "flac";
  // An MPEG audio frame begins with eleven bits set and a layer; AAC has the bits and no layer.
  const [first = 0, second = 0] = head;
  if (text(0, 3) === "ID3" || (first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0)) {
    return "mp3";
  }
  return undefined;
}
