import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { AvatarError } from "./errors.ts";
import type { FaceGeometry } from "./face-mesh.ts";
import { cropPicture, frameAround, frameFace, landmarksInCrop, parseFraming } from "./framing.ts";

const face = (x: number, y: number, heightPx: number): FaceGeometry => ({
  interocularPx: heightPx * 0.4,
  heightPx,
  centre: { x, y },
  yaw: 0,
  pitch: 0,
  roll: 0,
});

describe("frameFace", () => {
  const picture = { width: 1000, height: 1500 };

  it("cuts wider for a bust than for a head, and as wide as possible for full", () => {
    const geometry = face(500, 600, 200);
    const side = (framing: "head" | "bust" | "full") => frameFace({ picture, geometry, framing }).side;
    expect([side("head"), side("bust"), side("full")]).toEqual([380, 520, 1000]);
  });

  it("stays inside the picture near its edges", () => {
    for (const [x, y] of [
      [120, 130],
      [900, 1400],
      [500, 700],
    ] as const) {
      const { left, top, side } = frameFace({ picture, geometry: face(x, y, 200), framing: "bust" });
      expect(left).toBeGreaterThanOrEqual(0);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(left + side).toBeLessThanOrEqual(picture.width);
      expect(top + side).toBeLessThanOrEqual(picture.height);
      expect(x).toBeGreaterThan(left);
      expect(x).toBeLessThan(left + side);
    }
  });

  it("reaches outside only where a face fills the picture", () => {
    expect(
      frameFace({ picture: { width: 400, height: 600 }, geometry: face(200, 300, 380), framing: "bust" }),
    ).toEqual({
      left: -85,
      top: 30,
      side: 570,
    });
  });
});

describe("cropPicture", () => {
  it("extends edges where the square reaches outside", async () => {
    const { data } = await sharp({ create: { width: 100, height: 200, channels: 3, background: "#123456" } })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const cropped = await cropPicture({
      picture: { rgb: data, width: 100, height: 200 },
      crop: { left: -50, top: 0, side: 200 },
      outputSide: 128,
    });
    expect([cropped.width, cropped.height]).toEqual([200, 200]);
    for (let at = 0; at < cropped.rgb.length; at += 3) {
      if (cropped.rgb.readUIntBE(at, 3) !== 0x123456)
        throw new Error(`Pixel ${at / 3} is not the edge's colour.`);
    }
  });

  it("enlarges to the output and keeps at most 1024", async () => {
    const picture = { rgb: Buffer.alloc(2000 * 2000 * 3), width: 2000, height: 2000 };
    const cut = async (side: number) =>
      (await cropPicture({ picture, crop: { left: 3, top: 5, side }, outputSide: 512 })).width;
    expect([await cut(300), await cut(700), await cut(1900)]).toEqual([512, 700, 1024]);
  });

  it("moves landmarks along", () => {
    const moved = landmarksInCrop(Float32Array.of(150, 80, -20), { left: 100, top: 40, side: 200 }, 400);
    expect([...moved]).toEqual([100, 80, -40]);
  });
});

describe("parseFraming", () => {
  it("defaults to bust and refuses the unknown", () => {
    expect([parseFraming(undefined), parseFraming(""), parseFraming("head")]).toEqual([
      "bust",
      "bust",
      "head",
    ]);
    expect(() => parseFraming("knees")).toThrow(AvatarError);
  });
});

describe("frameAround", () => {
  const video = { width: 1920, height: 1080 };
  const face = (x: number, y: number, heightPx = 300): FaceGeometry => ({
    interocularPx: 100,
    heightPx,
    centre: { x, y },
    yaw: 0,
    pitch: 0,
    roll: 0,
  });

  it("frames a face that keeps still as that of a photograph", () => {
    const still = face(900, 500);
    expect(frameAround({ picture: video, faces: [still, still, still], framing: "head" })).toEqual(
      frameFace({ picture: video, geometry: still, framing: "head" }),
    );
  });

  it.each(["head", "bust", "full"] as const)("holds a face that moves wherever it goes (%s)", (framing) => {
    const faces = [face(700, 500), face(1000, 560), face(900, 450, 340), face(850, 520)];
    const { left, top, side } = frameAround({ picture: video, faces, framing });
    for (const { centre, heightPx } of faces) {
      expect(centre.x - heightPx / 2).toBeGreaterThan(left);
      expect(centre.x + heightPx / 2).toBeLessThan(left + side);
      expect(centre.y - heightPx / 2).toBeGreaterThan(top);
      expect(centre.y + heightPx / 2).toBeLessThan(top + side);
    }
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + side).toBeLessThanOrEqual(video.width);
  });
});
