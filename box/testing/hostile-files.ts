// Files made to do harm rather than damaged by chance.

import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A grey PNG of any size that takes next to no bytes; with fewer rows than its header says it is truncated. */
export function hugePng(width: number, height: number, rowCount = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const rows = deflateSync(Buffer.alloc((width + 1) * rowCount));
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A JPEG whose header says it is as large as JPEG can be. */
export function lyingJpeg(jpeg: Buffer): Buffer {
  const copy = Buffer.from(jpeg);
  for (let at = 2; at + 9 < copy.length; at += 2 + copy.readUInt16BE(at + 2)) {
    const marker = copy.readUInt16BE(at);
    if (marker < 0xffc0 || marker > 0xffc2) continue;
    copy.writeUInt16BE(65_500, at + 5);
    copy.writeUInt16BE(65_500, at + 7);
    return copy;
  }
  throw new Error("The JPEG has no frame header.");
}

/** Replaces the content of every box of a type, wherever it is; the lengths of those around it follow. */
export function changeBoxes(file: Buffer, type: string, change: (content: Buffer) => Buffer): Buffer {
  const holders = new Set(["moov", "trak", "mdia", "minf", "dinf", "stbl"]);
  const boxes: Buffer[] = [];
  for (let at = 0; at + 8 <= file.length;) {
    const length = file.readUInt32BE(at) || file.length - at;
    const name = file.toString("latin1", at + 4, at + 8);
    const content = file.subarray(at + 8, at + length);
    let changed = content;
    if (name === type) changed = change(Buffer.from(content));
    else if (holders.has(name)) changed = changeBoxes(content, type, change);
    const header = Buffer.alloc(8);
    header.writeUInt32BE(8 + changed.length);
    header.write(name, 4, "latin1");
    boxes.push(header, changed);
    at += length;
  }
  return Buffer.concat(boxes);
}

/** A MOV whose tracks say that their media is in the file at another path: a classic alias, with its absolute path. Its
 * own media is gone. */
export function movOfAnother(mov: Buffer, path: string): Buffer {
  const name = Buffer.from(path, "latin1");
  const volume = Buffer.alloc(28);
  volume.writeUInt8(4, 0);
  volume.write("Disk", 1, "latin1");
  const filename = Buffer.alloc(64);
  filename.writeUInt8(1, 0);
  filename.write("x", 1, "latin1");
  // No way from one folder to the other: only the absolute path counts.
  const levels = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  const record = Buffer.alloc(4 + name.length + (name.length % 2));
  record.writeUInt16BE(2, 0);
  record.writeUInt16BE(name.length, 2);
  name.copy(record, 4);
  const end = Buffer.from([0xff, 0xff, 0, 0]);
  const alias = Buffer.concat([
    Buffer.alloc(10),
    volume,
    Buffer.alloc(12),
    filename,
    Buffer.alloc(16),
    levels,
    Buffer.alloc(16),
    record,
    end,
  ]);
  const entry = Buffer.alloc(12);
  entry.writeUInt32BE(12 + alias.length, 0);
  entry.write("alis", 4, "latin1");
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]);
  const empty = changeBoxes(mov, "mdat", (content) => content.fill(0));
  return changeBoxes(empty, "dref", () => Buffer.concat([head, entry, alias]));
}

/** A Matroska file of segments within segments, each of unknown length. */
export function nestedMatroska(levels: number): Buffer {
  const header = Buffer.from("1a45dfa3934286810142f7810142f2810442f381084282847765626d", "hex");
  const segment = Buffer.from("1853806701ffffffffffffff", "hex");
  const seek = Buffer.from("114d9b7401ffffffffffffff", "hex");
  const tags = Buffer.from("1254c36701ffffffffffffff", "hex");
  const simple = Buffer.from("67c801ffffffffffffff", "hex");
  const nested = Array.from(
    { length: levels },
    (_, level) => [segment, seek, tags, simple][level % 4] ?? simple,
  );
  return Buffer.concat([header, segment, ...nested]);
}
