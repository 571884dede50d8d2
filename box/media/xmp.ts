// The mark that tells machines that a picture was made by AI: IPTC's digital source type, in XMP, where the XMP
// specification (part 3, "MPEG-4") puts it in an MP4: a box of its own at the top level.

import { open, type FileHandle } from "node:fs/promises";

/** Names of IPTC's vocabulary of digital source types: all of it made by AI, or made by AI and joined with what was recorded. */
export type AiMarking = "trainedAlgorithmicMedia" | "compositeWithTrainedAlgorithmicMedia";

const VOCABULARY = "http://cv.iptc.org/newscodes/digitalsourcetype/";
const XMP_BOX = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
const BOX_HEADER = 24;
const LARGEST_PACKET = 1024 * 1024;
/** More boxes at the top level than any player would walk through. */
const MOST_BOXES = 100_000;

/**
 * Adds the mark at the end of a finished MP4, which moves nothing that is in it. A file that has it already is left as it is.
 * Rejects, and leaves the file as it was, when it is no MP4 or carries other XMP.
 */
export async function writeAiMarking(path: string, kind: AiMarking): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { boxes, size } = await topLevel(file);
    if (boxes[0]?.type !== "ftyp") throw new Error("The file is no MP4.");
    const present = await packetOf(file, boxes);
    if (present !== undefined) {
      if (digitalSourceType(present) === VOCABULARY + kind) return;
      throw new Error("The file carries other XMP already.");
    }
    const last = boxes.at(-1);
    if (last?.open) await closeBox(file, last);
    const packet = Buffer.from(packetFor(kind), "utf8");
    const header = Buffer.alloc(8);
    header.writeUInt32BE(BOX_HEADER + packet.length, 0);
    header.write("uuid", 4, "latin1");
    const box = Buffer.concat([header, XMP_BOX, packet]);
    try {
      await writeAll(file, box, size);
      await file.sync();
    } catch (error) {
      await file.truncate(size);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** The mark of a file, as its full name; null when it has none. Rejects when the file is no row of boxes. */
export async function readAiMarking(path: string): Promise<string | null> {
  const file = await open(path, "r");
  try {
    const { boxes } = await topLevel(file);
    const packet = await packetOf(file, boxes);
    return packet === undefined ? null : digitalSourceType(packet);
  } finally {
    await file.close();
  }
}

interface Box {
  type: string;
  at: number;
  size: number;
  /** Its length says "to the end of the file". */
  open: boolean;
}

async function topLevel(file: FileHandle): Promise<{ boxes: Box[]; size: number }> {
  const { size } = await file.stat();
  const boxes: Box[] = [];
  const head = Buffer.alloc(16);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    if (bytesRead < 8 || boxes.length >= MOST_BOXES) throw new Error("The file is no MP4.");
    const said = head.readUInt32BE(0);
    let length = said;
    if (said === 0) length = size - at;
    else if (said === 1) length = bytesRead === 16 ? Number(head.readBigUInt64BE(8)) : 0;
    if (length < 8 || at + length > size) throw new Error("The file is no MP4, or is cut off.");
    boxes.push({ type: head.toString("latin1", 4, 8), at, size: length, open: said === 0 });
    at += length;
  }
  return { boxes, size };
}

async function packetOf(file: FileHandle, boxes: readonly Box[]): Promise<string | undefined> {
  for (const { type, at, size } of boxes) {
    if (type !== "uuid" || size < BOX_HEADER || size > LARGEST_PACKET) continue;
    const content = Buffer.alloc(size - 8);
    await file.read(content, 0, content.length, at + 8);
    if (content.subarray(0, 16).equals(XMP_BOX)) return content.toString("utf8", 16);
  }
  return undefined;
}

/** A box that ends with the file must say how long it is before anything can follow. */
async function closeBox(file: FileHandle, { at, size }: Box): Promise<void> {
  if (size > 0xffff_ffff) throw new Error("The last box is too large to be closed.");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(size);
  await writeAll(file, length, at);
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

function packetFor(kind: AiMarking): string {
  return [
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">',
    `<Iptc4xmpExt:DigitalSourceType>${VOCABULARY}${kind}</Iptc4xmpExt:DigitalSourceType>`,
    "</rdf:Description>",
    "</rdf:RDF>",
    "</x:xmpmeta>",
    '<?xpacket end="w"?>',
  ].join("\n");
}

/** As an element or as an attribute: writers use either. */
function digitalSourceType(packet: string): string | null {
  const element = /<Iptc4xmpExt:DigitalSourceType>\s*([^<\s]+)\s*</.exec(packet);
  const attribute = /\bIptc4xmpExt:DigitalSourceType\s*=\s*["']([^"']+)["']/.exec(packet);
  return element?.[1] ?? attribute?.[1] ?? null;
}
