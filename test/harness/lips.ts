// Reads lips off decoded frames with the landmark model, as a critical viewer would.

import sharp from "sharp";
import type { FaceGeometry, Landmarks } from "../../box/avatars/face-mesh.ts";
import { FaceFinder } from "../../box/avatars/landmarks.ts";
import type { Picture } from "../../box/media/picture.ts";

export interface Lips {
  /** Mean gap between the inner lips, as a share of the length from forehead to nose tip. 0 is shut. */
  aperture: number;
}

/** Inner-lip pairs, upper and lower, across the middle of the mouth (MediaPipe face mesh). */
const innerLipPairs = [
  [82, 87],
  [13, 14],
  [312, 317],
] as const;
const foreheadTop = 10;
/** With the forehead, a length that speech does not change. */
const noseTip = 1;

export class LipReader {
  readonly #finder: FaceFinder;
  #before: FaceGeometry | null = null;

  private constructor(finder: FaceFinder) {
    this.#finder = finder;
  }

  static async open(): Promise<LipReader> {
    const finder = new FaceFinder();
    await finder.warmUp();
    return new LipReader(finder);
  }

  /** The lips in one encoded picture (PNG or JPEG); null where no face is found. */
  async read(picture: Buffer | string): Promise<Lips | null> {
    const { landmarks } = await this.#finder
      .findFace(await decode(picture))
      .catch(() => ({ landmarks: null }));
    return landmarks && lipsOf(landmarks);
  }

  /** As read(), in pictures that follow one another: the face is looked for where it was, at a third of the cost. */
  async follow(picture: Buffer | string): Promise<Lips | null> {
    const face = await this.#finder.trackFace(await decode(picture), this.#before);
    this.#before = face?.geometry ?? null;
    return face && lipsOf(face.landmarks);
  }

  close(): Promise<void> {
    return this.#finder.close();
  }
}

async function decode(picture: Buffer | string): Promise<Picture> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

function lipsOf(landmarks: Landmarks): Lips {
  const distance = (a: number, b: number) =>
    Math.hypot(
      (landmarks[a * 3] ?? 0) - (landmarks[b * 3] ?? 0),
      (landmarks[a * 3 + 1] ?? 0) - (landmarks[b * 3 + 1] ?? 0),
    );
  const gap = innerLipPairs.reduce((sum, [upper, lower]) => sum + distance(upper, lower), 0);
  return { aperture: gap / innerLipPairs.length / distance(foreheadTop, noseTip) };
}
