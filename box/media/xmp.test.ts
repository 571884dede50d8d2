import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAiMarking, writeAiMarking } from "./xmp.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-xmp-"));
});
afterAll(() => rm(folder, { recursive: true }));

function box(type: string, content: Buffer, said?: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(said ?? 8 + content.length);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, content]);
}

const ftyp = box("ftyp", Buffer.from("isom\0\0\x02\0isommp41", "latin1"));
const mdat = (said?: number) => box("mdat", Buffer.alloc(100, 7), said);

async function file(...boxes: Buffer[]): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.mp4`);
  await writeFile(path, Buffer.concat(boxes));
  return path;
}

test("a mark is a box of its own behind everything else, as the XMP specification has it", async () => {
  const path = await file(ftyp, mdat());
  const before = await readFile(path);
  expect(await readAiMarking(path)).toBeNull();
  await writeAiMarking(path, "trainedAlgorithmicMedia");
  expect(await readAiMarking(path)).toBe(
    "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
  );
  const after = await readFile(path);
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  const added = after.subarray(before.length);
  expect(added.readUInt32BE(0)).toBe(added.length);
  expect(added.toString("latin1", 4, 8)).toBe("uuid");
  expect(added.toString("hex", 8, 24)).toBe("be7acfcb97a942e89c71999491e3afac");
  const packet = added.toString("utf8", 24);
  expect(packet.startsWith('<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>')).toBe(true);
  expect(packet).toContain('xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"');
});

test("marking again changes nothing, and another mark is refused", async () => {
  const path = await file(ftyp, mdat());
  await writeAiMarking(path, "compositeWithTrainedAlgorithmicMedia");
  const once = await readFile(path);
  await writeAiMarking(path, "compositeWithTrainedAlgorithmicMedia");
  expect((await readFile(path)).equals(once)).toBe(true);
  await expect(writeAiMarking(path, "trainedAlgorithmicMedia")).rejects.toThrow("other XMP");
  expect((await readFile(path)).equals(once)).toBe(true);
});

test("a box that reached to the end of the file says how long it is before another follows", async () => {
  const path = await file(ftyp, mdat(0));
  await writeAiMarking(path, "trainedAlgorithmicMedia");
  expect((await readFile(path)).readUInt32BE(ftyp.length)).toBe(108);
  expect(await readAiMarking(path)).toContain("trainedAlgorithmicMedia");
});

test("lengths of 64 bits are followed", async () => {
  const large = Buffer.concat([Buffer.alloc(8), Buffer.alloc(50)]);
  large.writeBigUInt64BE(66n);
  const path = await file(ftyp, box("mdat", large, 1));
  await writeAiMarking(path, "trainedAlgorithmicMedia");
  expect(await readAiMarking(path)).toContain("trainedAlgorithmicMedia");
});

test("an attribute counts as a mark as well as an element", async () => {
  const packet = `<rdf:Description Iptc4xmpExt:DigitalSourceType="http://example/made"/>`;
  const uuid = Buffer.concat([Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex"), Buffer.from(packet)]);
  expect(await readAiMarking(await file(ftyp, box("uuid", uuid)))).toBe("http://example/made");
});

test.each([
  ["no MP4", [Buffer.from("RIFF....WAVEfmt and so on")]],
  ["cut off", [ftyp, mdat().subarray(0, 60)]],
  ["a box shorter than its header", [ftyp, box("free", Buffer.alloc(8), 4)]],
  ["without a type", [mdat()]],
])("what is %s is refused and left alone", async (_, boxes) => {
  const path = await file(...boxes);
  const before = await readFile(path);
  await expect(writeAiMarking(path, "trainedAlgorithmicMedia")).rejects.toThrow(Error);
  expect((await readFile(path)).equals(before)).toBe(true);
});
