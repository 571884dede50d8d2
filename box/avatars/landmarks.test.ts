import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { AvatarError } from "./errors.ts";
import { MESH, point } from "./face-mesh.ts";
import { chooseFace, FaceFinder } from "./landmarks.ts";
import type { DetectedFace } from "./landmarks.ts";
import { openMedia } from "../media/open.ts";
import { decodePhoto as decodePhotoIn } from "./photo.ts";
import type { Picture } from "../media/picture.ts";

const stock = (name: string) => readFile(fileURLToPath(new URL(`stock/${name}.png`, import.meta.url)));
const finder = new FaceFinder();
const media = openMedia();
afterAll(() => Promise.all([finder.close(), media.close()]));

const decodePhoto = (bytes: Uint8Array) => decodePhotoIn(bytes, media);

async function refusal(picture: Picture): Promise<string> {
  const error = await finder.findFace(picture).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AvatarError)) throw new Error(`Not refused as expected: ${String(error)}`);
  return error.code;
}

async function canvas(
  width: number,
  height: number,
  faces: { name: string; side: number; left: number; top: number }[],
) {
  const parts = await Promise.all(
    faces.map(async ({ name, side, left, top }) => ({
      input: await sharp(await stock(name))
        .resize(side)
        .toBuffer(),
      left,
      top,
    })),
  );
  const made = sharp({ create: { width, height, channels: 3, background: "#b8b0a8" } }).composite(parts);
  return decodePhoto(await made.png().toBuffer());
}

/** Centre of the darkest pixels around a point: the pupil. */
function pupilNear({ rgb, width }: Picture, x: number, y: number, radius: number): { x: number; y: number } {
  const sums = { x: 0, y: 0, count: 0 };
  for (let row = Math.round(y - radius); row <= y + radius; row += 1) {
    for (let column = Math.round(x - radius); column <= x + radius; column += 1) {
      const at = (row * width + column) * 3;
      if ((rgb[at] ?? 255) + (rgb[at + 1] ?? 255) + (rgb[at + 2] ?? 255) > 90) continue;
      sums.x += column;
      sums.y += row;
      sums.count += 1;
    }
  }
  return { x: sums.x / sums.count, y: sums.y / sums.count };
}

describe("FaceFinder", () => {
  it.each(["maya", "theo"])("finds the landmarks of %s, irises on the pupils", async (name) => {
    const picture = await decodePhoto(await stock(name));
    const { landmarks, geometry, confidence } = await finder.findFace(picture);
    expect(landmarks).toHaveLength(478 * 3);
    expect(confidence).toBeGreaterThan(0.8);
    expect(Math.abs(geometry.yaw)).toBeLessThan(8);
    expect(Math.abs(geometry.roll)).toBeLessThan(5);
    const right = point(landmarks, MESH.rightIris);
    const left = point(landmarks, MESH.leftIris);
    expect(right.x).toBeLessThan(left.x);
    for (const iris of [right, left]) {
      const pupil = pupilNear(picture, iris.x, iris.y, geometry.interocularPx * 0.08);
      expect(Math.hypot(pupil.x - iris.x, pupil.y - iris.y)).toBeLessThan(geometry.interocularPx * 0.08);
    }
    // The tip of the nose stands out, the cheeks lie back.
    expect(point(landmarks, 1).z).toBeLessThan(-0.1 * geometry.interocularPx);
    expect(point(landmarks, MESH.leftCheek).z).toBeGreaterThan(0.1 * geometry.interocularPx);
  });

  it("scales depth with the face, and finds it away from the middle", async () => {
    const whole = await finder.findFace(await decodePhoto(await stock("maya")));
    const small = await finder.findFace(
      await canvas(1400, 900, [{ name: "maya", side: 512, left: 850, top: 350 }]),
    );
    const relief = (face: DetectedFace) =>
      point(face.landmarks, 1).z - point(face.landmarks, MESH.leftCheek).z;
    expect(relief(small) / relief(whole)).toBeCloseTo(0.5, 1);
    const nose = point(small.landmarks, 1);
    const expected = point(whole.landmarks, 1);
    expect(Math.hypot(nose.x - 850 - expected.x / 2, nose.y - 350 - expected.y / 2)).toBeLessThan(5);
  });

  it("refuses a picture with two people, and not one with somebody far behind", async () => {
    const two = await canvas(1600, 800, [
      { name: "maya", side: 800, left: 0, top: 0 },
      { name: "theo", side: 800, left: 800, top: 0 },
    ]);
    expect(await refusal(two)).toBe("several_faces");
    const bystander = await canvas(1300, 1000, [
      { name: "maya", side: 1000, left: 0, top: 0 },
      { name: "theo", side: 260, left: 1020, top: 100 },
    ]);
    await expect(finder.findFace(bystander)).resolves.toMatchObject({ confidence: expect.any(Number) });
  });

  it("refuses a picture without a face", async () => {
    expect(await refusal(await canvas(800, 600, []))).toBe("no_face");
    const noise = await sharp({
      create: {
        width: 600,
        height: 600,
        channels: 3,
        background: "#000",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    expect(await refusal(await decodePhoto(noise))).toBe("no_face");
  });

  it("refuses a face too small to speak", async () => {
    const picture = await canvas(330, 330, [{ name: "theo", side: 170, left: 80, top: 80 }]);
    expect(await refusal(picture)).toBe("face_too_small");
  });

  // No photograph of a person ships with the project: this one case waits for a picture of your own.
  const photograph = process.env.VISAVIS_TEST_PHOTO;
  it.skipIf(!photograph || !existsSync(photograph))(
    "finds the face of the photograph in VISAVIS_TEST_PHOTO",
    async () => {
      const { geometry } = await finder.findFace(await decodePhoto(await readFile(photograph ?? "")));
      expect(geometry.interocularPx).toBeGreaterThan(32);
    },
  );
});

describe("chooseFace", () => {
  const face = (change: Partial<DetectedFace["geometry"]>, confidence = 0.9): DetectedFace => ({
    confidence,
    landmarks: new Float32Array(0),
    geometry: {
      interocularPx: 80,
      heightPx: 200,
      centre: { x: 0, y: 0 },
      yaw: 0,
      pitch: 0,
      roll: 0,
      ...change,
    },
  });
  const code = (faces: DetectedFace[]) => {
    try {
      chooseFace(faces);
      return "chosen";
    } catch (error) {
      return error instanceof AvatarError ? error.code : String(error);
    }
  };

  it.each([
    ["chosen", [face({})]],
    ["no_face", [face({}, 0.4)]],
    ["chosen", [face({ heightPx: 70 }), face({})]],
    ["several_faces", [face({ heightPx: 90 }), face({})]],
    ["face_too_small", [face({ interocularPx: 20 })]],
    ["face_turned_away", [face({ yaw: -40 })]],
    ["face_turned_away", [face({ pitch: 35 })]],
    ["face_turned_away", [face({ roll: 60 })]],
  ])("%s", (wanted, faces) => {
    expect(code(faces)).toBe(wanted);
  });
});

describe("closing", () => {
  it("rejects searches under way and later ones, and can be done twice", async () => {
    const closing = new FaceFinder();
    const search = closing.warmUp();
    const outcome = expect(search).rejects.toThrow();
    await closing.close();
    await closing.close();
    await outcome;
    await expect(closing.warmUp()).rejects.toThrow(AvatarError);
  });
});
