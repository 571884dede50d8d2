import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import type { Sharp } from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { AvatarError } from "./errors.ts";
import { openMedia } from "../media/open.ts";
import { decodePhoto as decodePhotoIn } from "./photo.ts";

const media = openMedia();
afterAll(() => media.close());

const decodePhoto = (bytes: Uint8Array) => decodePhotoIn(bytes, media);

/** Left half red, right half blue. */
function halves(width = 200, height = 160): Sharp {
  return sharp({ create: { width, height, channels: 3, background: "#f00" } }).composite([
    {
      input: { create: { width: width / 2, height, channels: 3, background: "#00f" } },
      left: width / 2,
      top: 0,
    },
  ]);
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await decodePhoto(bytes).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AvatarError)) throw new Error(`Not refused as expected: ${String(error)}`);
  expect(error.status).toBeGreaterThanOrEqual(400);
  expect(error.status).toBeLessThan(500);
  expect(error.message).toMatch(/^The .*\.$|^A photograph .*\.$/);
  return error.code;
}

function pixel({ rgb, width }: { rgb: Buffer; width: number }, x: number, y: number): number[] {
  const at = (y * width + x) * 3;
  return [...rgb.subarray(at, at + 3)];
}

function near(actual: number[], wanted: number[], tolerance: number): void {
  actual.forEach((value, index) =>
    expect(Math.abs(value - (wanted[index] ?? 0))).toBeLessThanOrEqual(tolerance),
  );
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A grey PNG of any size that takes next to no bytes; with fewer rows than its header says it is truncated. */
function hugePng(width: number, height: number, rowCount = height): Buffer {
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

describe("decodePhoto", () => {
  it("turns a picture upright by its EXIF orientation", async () => {
    const turned = await halves().withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    const picture = await decodePhoto(turned);
    expect([picture.width, picture.height]).toEqual([160, 200]);
    near(pixel(picture, 80, 20), [255, 0, 0], 10);
    near(pixel(picture, 80, 180), [0, 0, 255], 10);
  });

  it("converts CMYK to sRGB", async () => {
    const cmyk = await halves().toColourspace("cmyk").jpeg({ quality: 95 }).toBuffer();
    expect((await sharp(cmyk).metadata()).channels).toBe(4);
    const picture = await decodePhoto(cmyk);
    expect(picture.rgb).toHaveLength(200 * 160 * 3);
    const [red = 0, , blue = 0] = pixel(picture, 50, 80);
    expect(red).toBeGreaterThan(blue + 100);
  });

  it.each([
    ["grey", () => halves().greyscale().png().toBuffer()],
    ["16-bit", () => halves().toColourspace("rgb16").png().toBuffer()],
    ["16-bit grey", () => halves().toColourspace("grey16").png().toBuffer()],
    ["grey with alpha", () => halves().ensureAlpha(0.5).toColourspace("b-w").png().toBuffer()],
    ["palette", () => halves().png({ palette: true }).toBuffer()],
  ])("gives three 8-bit channels for a %s picture", async (_, make) => {
    const picture = await decodePhoto(await make());
    expect(picture.rgb).toHaveLength(200 * 160 * 3);
    expect(pixel(picture, 50, 80)).not.toEqual(pixel(picture, 150, 80));
  });

  it("keeps the brightness of 16-bit pictures", async () => {
    const deep = await halves().toColourspace("rgb16").png().toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe("ushort");
    near(pixel(await decodePhoto(deep), 50, 80), [255, 0, 0], 1);
  });

  it("lays transparency on a light background", async () => {
    const clear = await sharp({
      create: { width: 200, height: 200, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    near(pixel(await decodePhoto(clear), 100, 100), [224, 224, 224], 1);
  });

  it("reduces what is larger than an avatar can show", async () => {
    const picture = await decodePhoto(hugePng(6000, 3000));
    expect([picture.width, picture.height]).toEqual([3072, 1536]);
  });

  it("refuses 41 megapixels from the header alone", async () => {
    expect(await refusal(hugePng(6404, 6404, 1))).toBe("image_too_many_pixels");
    expect(await refusal(hugePng(60_000, 60_000, 0))).toBe("image_too_many_pixels");
    expect(await refusal(hugePng(5_000, 5_000, 1))).toBe("image_unreadable");
  });

  it("refuses a truncated JPEG and a truncated PNG", async () => {
    const noise = sharp({
      create: {
        width: 400,
        height: 400,
        channels: 3,
        background: "#000",
        noise: { type: "gaussian", mean: 128, sigma: 40 },
      },
    });
    const jpeg = await noise.clone().jpeg().toBuffer();
    const png = await noise.clone().png().toBuffer();
    for (const whole of [jpeg, png]) {
      await expect(decodePhoto(whole)).resolves.toMatchObject({ width: 400 });
      expect(await refusal(whole.subarray(0, whole.length / 2))).toBe("image_unreadable");
      expect(await refusal(whole.subarray(0, 20))).toBe("image_unreadable");
    }
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("This is not a picture, whatever its name says.")],
    ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>')],
    ["GIF", Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1")],
  ])("refuses %s", async (_, bytes) => {
    expect(await refusal(bytes)).toBe("image_unsupported");
  });

  it("refuses WebP, animated PNG, tiny pictures and large files", async () => {
    expect(await refusal(await halves().webp().toBuffer())).toBe("image_unsupported");
    const png = await halves().png().toBuffer();
    const header = 8 + 25;
    const control = chunk("acTL", Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]));
    expect(await refusal(Buffer.concat([png.subarray(0, header), control, png.subarray(header)]))).toBe(
      "image_unsupported",
    );
    expect(await refusal(await halves(100, 100).png().toBuffer())).toBe("image_too_small");
    expect(await refusal(Buffer.alloc(limits.imageBytes + 1, 0xff))).toBe("image_too_large");
  });
});
