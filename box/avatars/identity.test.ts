import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { decodePicture } from "../media/photo-decoding.ts";
import { compareFaces, SAME_FROM } from "./identity.ts";
import { FaceFinder } from "./landmarks.ts";

const stock = (name: string) => readFile(fileURLToPath(new URL(`stock/${name}.png`, import.meta.url)));
const finder = new FaceFinder();
afterAll(() => finder.close());

describe("compareFaces", () => {
  it("knows a person again in another crop, size and light, and mirrored", async () => {
    const maya = await stock("maya");
    const other = await sharp(maya)
      .extract({ left: 120, top: 40, width: 800, height: 900 })
      .resize(500)
      .flop()
      .linear(0.7, 0)
      .jpeg({ quality: 40 })
      .toBuffer();
    const { score, same } = await compareFaces(await decodePicture(maya), await decodePicture(other), {
      finder,
    });
    expect(same).toBe(true);
    expect(score).toBeGreaterThan(SAME_FROM);
    expect(score).toBeLessThanOrEqual(1);
  });

  it("tells two people apart", async () => {
    const [maya, theo] = await Promise.all(["maya", "theo"].map(stock));
    const { score, same } = await compareFaces(await decodePicture(maya!), await decodePicture(theo!), {
      finder,
    });
    expect(same).toBe(false);
    expect(score).toBeLessThan(SAME_FROM);
    expect(score).toBeGreaterThanOrEqual(0);
  });

  it("refuses a picture without a face", async () => {
    const wall = { rgb: Buffer.alloc(300 * 300 * 3, 180), width: 300, height: 300 };
    const maya = await decodePicture(await stock("maya"));
    await expect(compareFaces(maya, wall, { finder })).rejects.toMatchObject({ code: "no_face" });
  });
});
