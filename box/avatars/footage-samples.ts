// A look through a video before work is spent on it: a few frames a second, and the face in each.

import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Framing } from "../../contract/avatars.ts";
import { makeWorkFolder } from "../media/leftovers.ts";
import type { Media } from "../media/media.ts";
import { AvatarError } from "./errors.ts";
import { faceGeometry, MESH, point } from "./face-mesh.ts";
import { isTurned, momentOf, turnedAway } from "./face-track.ts";
import { frameAround, type Crop } from "./framing.ts";
import { i420Bytes, i420ToPicture } from "./i420.ts";
import { chooseFace, type DetectedFace, type FaceFinder } from "./landmarks.ts";
import type { Picture } from "../media/picture.ts";
import { sharpness, type Candidate } from "./still-choice.ts";

export const SAMPLES_A_SECOND = 4;
/** Long side of the frames that are looked through. */
const SAMPLE_SIDE = 960;
/** So many in a row are no accident: what is wrong in one frame may be the model's fault. */
const IN_A_ROW = 2;
/** How far a face may reach over the edge of the picture, in face heights: the mesh guesses there. */
const OVER_THE_EDGE = 0.03;

export interface Sample {
  /** Landmarks in pixels of the whole upright picture. */
  face: DetectedFace | null;
  candidate: Candidate | null;
  refusal: AvatarError | null;
}

/** Frames of a video one after another, decoded into a file that is gone afterwards. */
export async function* framesOf(
  media: Media,
  request: Omit<Parameters<Media["footage"]>[0], "outPath">,
): AsyncGenerator<Picture> {
  const folder = await makeWorkFolder();
  try {
    const outPath = join(folder, "frames.i420");
    const count = await media.footage({ ...request, outPath });
    yield* readFrames(outPath, { count, width: request.width, height: request.height });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The frames of a file of I420. */
export async function* readFrames(
  path: string,
  { count, width, height }: { count: number; width: number; height: number },
): AsyncGenerator<Picture> {
  const file = await open(path, "r");
  try {
    const frame = Buffer.alloc(i420Bytes(width, height));
    for (let index = 0; index < count; index += 1) {
      const { bytesRead } = await file.read(frame, 0, frame.length, index * frame.length);
      if (bytesRead !== frame.length) throw new Error("Frames are missing.");
      yield i420ToPicture(frame, width, height);
    }
  } finally {
    await file.close();
  }
}

/** The size at which a video is looked through, with even sides. */
export function sampleSize({ width, height }: { width: number; height: number }): {
  width: number;
  height: number;
} {
  const scale = Math.min(1, SAMPLE_SIDE / Math.max(width, height));
  const even = (length: number) => Math.max(2, Math.round((length * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}

/** What is in one of the frames that are looked through. */
export async function sampleOf(
  picture: Picture,
  { finder, video }: { finder: FaceFinder; video: { width: number; height: number } },
): Promise<Sample> {
  const found = await finder.findFaces(picture);
  const across = video.width / picture.width;
  const down = video.height / picture.height;
  const faces = found.map(({ confidence, landmarks }): DetectedFace => {
    const scaled = landmarks.map((value, index) => value * (index % 3 === 1 ? down : across));
    return { confidence, landmarks: scaled, geometry: faceGeometry(scaled) };
  });
  try {
    const face = chooseFace(faces);
    const seen = found[faces.indexOf(face)];
    if (isOverTheEdge(face, video)) {
      return { face, candidate: null, refusal: new AvatarError("no_face", "The face leaves the picture.") };
    }
    return { face, candidate: seen ? { face, sharpness: sharpness(picture, seen) } : null, refusal: null };
  } catch (error) {
    if (!(error instanceof AvatarError)) throw error;
    return { face: null, candidate: null, refusal: error };
  }
}

function isOverTheEdge(
  { landmarks, geometry }: DetectedFace,
  { width, height }: { width: number; height: number },
): boolean {
  const slack = geometry.heightPx * OVER_THE_EDGE;
  return [MESH.foreheadTop, MESH.chin, MESH.rightCheek, MESH.leftCheek].some((index) => {
    const { x, y } = point(landmarks, index);
    return x < -slack || y < -slack || x > width + slack || y > height + slack;
  });
}

/** Throws AvatarError when the video as a whole cannot be used, and says when it goes wrong. */
export function checkSamples(samples: readonly Sample[]): void {
  if (samples.every(({ refusal }) => refusal?.code === "no_face")) {
    throw new AvatarError(
      "no_face",
      "No face was found in the video. Use footage of one face, well lit and seen from the front.",
    );
  }
  const needed = Math.min(IN_A_ROW, samples.length);
  for (let from = 0; from + needed <= samples.length; from += 1) {
    const row = samples.slice(from, from + needed);
    const code = row[0]?.refusal?.code;
    if (code === undefined || row.some(({ refusal }) => refusal?.code !== code)) continue;
    const when = momentOf(from / SAMPLES_A_SECOND);
    switch (code) {
      case "no_face":
        throw new AvatarError(
          "no_face",
          `The face leaves the picture or is hidden ${when}. Use footage that shows it all the time.`,
        );
      case "several_faces":
        throw new AvatarError(
          "several_faces",
          `More than one face is seen ${when}. Use footage that shows one person.`,
        );
      case "face_turned_away":
        throw turnedAway(from / SAMPLES_A_SECOND);
      default:
        throw row[0]?.refusal;
    }
  }
  if (samples.every(({ face }) => face === null || isTurned(face.geometry))) throw turnedAway(0);
}

/** The square that holds the face wherever it goes. */
export function cropOf(
  samples: readonly Sample[],
  { video, framing }: { video: { width: number; height: number }; framing: Framing },
): Crop {
  const faces = samples.flatMap(({ face }) => (face ? [face.geometry] : []));
  return frameAround({ picture: video, faces, framing });
}
