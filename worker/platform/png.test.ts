import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodePng, inspectPng } from "./png.ts";

const tiny = { width: 2, height: 2, data: Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7) };

/** Undoes the filter and the compression, as any reader of PNG does. */
async function samplesOf(
  bytes: Uint8Array<ArrayBuffer>,
  { width, height }: { width: number; height: number },
) {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const at = text.indexOf("IDAT");
  const length = new DataView(bytes.buffer).getUint32(at - 4);
  const packed = new Blob([bytes.slice(at + 4, at + 4 + length)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  const rows = new Uint8Array(await new Response(stream).arrayBuffer());
  const stride = 3 * width;
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    expect(rows[y * (stride + 1)]).toBe(4);
    for (let i = 0; i < stride; i++) {
      const a = i < 3 ? 0 : out[y * stride + i - 3]!;
      const b = y === 0 ? 0 : out[(y - 1) * stride + i]!;
      const c = i < 3 || y === 0 ? 0 : out[(y - 1) * stride + i - 3]!;
      const p = a + b - c;
      const distances = [a, b, c].map((value) => Math.abs(p - value));
      const predictor = [a, b, c][distances.indexOf(Math.min(...distances))]!;
      out[y * stride + i] = rows[y * (stride + 1) + 1 + i]! + predictor;
    }
  }
  return out;
}

test("any picture comes out as it went in", async () => {
  const pictures = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
    .chain(([width, height]) =>
      fc
        .uint8Array({ minLength: 3 * width * height, maxLength: 3 * width * height })
        .map((data) => ({ width, height, data })),
    );
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      const bytes = await encodePng(picture);
      expect(inspectPng(bytes)).toEqual({ width: picture.width, height: picture.height });
      expect(await samplesOf(bytes, picture)).toEqual(Uint8Array.from(picture.data));
    }),
    { numRuns: 60 },
  );
});

test("a note is one text chunk", async () => {
  const bytes = await encodePng(tiny, { keyword: "Software", text: "drawn" });
  expect(new TextDecoder("latin1").decode(bytes)).toContain("tEXtSoftware\0drawn");
  expect(inspectPng(bytes)).toEqual({ width: 2, height: 2 });
});

test("no part of a PNG, and no PNG with a byte changed or added, is a PNG", async () => {
  const bytes = await encodePng(tiny);
  for (let length = 0; length < bytes.length; length++)
    expect(inspectPng(bytes.subarray(0, length))).toBeNull();
  for (let at = 0; at < bytes.length; at++) {
    expect(inspectPng(bytes.map((byte, i) => (i === at ? byte ^ 0x40 : byte)))).toBeNull();
  }
  expect(inspectPng(Uint8Array.of(...bytes, 0))).toBeNull();
  expect(inspectPng(new Uint8Array())).toBeNull();
});
