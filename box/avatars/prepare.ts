import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AvatarInfo, BuildAvatarOptions } from "../../native/binding/index.d.ts";
import type { Media } from "../media/media.ts";
import { AvatarError } from "./errors.ts";
import type { BuildStep, Framing } from "../../contract/avatars.ts";
import { cropPicture, frameFace, landmarksInCrop } from "./framing.ts";
import type { Crop } from "./framing.ts";
import type { Landmarks } from "./face-mesh.ts";
import type { FaceFinder } from "./landmarks.ts";
import { decodePhoto, openPicture } from "./photo.ts";
import type { Picture } from "../media/picture.ts";

/** The native builder of rig and idle loop. */
export type AvatarBuilder = (options: BuildAvatarOptions) => Promise<AvatarInfo>;

/** Raised when avatars built before must be built again; part of what tells a stock avatar from an outdated one. */
export const PREPARATION_VERSION = 3;
/** Builds from this version on can still be shown, until they are built again, and where that does not succeed. */
export const OLDEST_SHOWN_VERSION = 2;
export const OUTPUT_SIDE = 512;
export const PREVIEW_FILE = "preview.jpg";

/** A photograph that passed every check: what is left to do cannot be the uploader's fault. */
export interface CheckedPhoto {
  source: Picture;
  crop: Crop;
  /** The square to show and the landmarks in its pixels. */
  cropped: Picture;
  landmarks: Landmarks;
}

/** Decodes a photograph and finds its one face. Throws AvatarError with a sentence for whoever chose the picture. */
export async function checkPhoto({
  bytes,
  framing,
  finder,
  media,
  onStep,
  signal,
}: {
  bytes: Uint8Array;
  framing: Framing;
  finder: FaceFinder;
  media: Pick<Media, "photo">;
  onStep?(step: BuildStep): void;
  signal?: AbortSignal | undefined;
}): Promise<CheckedPhoto> {
  onStep?.("decode");
  const source = await decodePhoto(bytes, media, signal);
  onStep?.("landmarks");
  const face = await finder.findFace(source);
  const crop = frameFace({ picture: source, geometry: face.geometry, framing });
  const cropped = await cropPicture({ picture: source, crop, outputSide: OUTPUT_SIDE });
  return { source, crop, cropped, landmarks: landmarksInCrop(face.landmarks, crop, cropped.width) };
}

/** Writes preview.jpg, rig.vvr and loop.i420 into a new folder. Throws AvatarError face_unusable when the rig cannot be made. */
export async function buildPhoto({
  photo,
  outDir,
  motion,
  seed,
  builder,
  onStep,
}: {
  photo: CheckedPhoto;
  outDir: string;
  motion: number;
  seed: number;
  builder: AvatarBuilder;
  onStep?(step: BuildStep): void;
}): Promise<AvatarInfo> {
  const { cropped, landmarks } = photo;
  await mkdir(outDir, { recursive: true });
  onStep?.("preview");
  const preview = await openPicture(cropped)
    .resize(OUTPUT_SIDE, OUTPUT_SIDE)
    .jpeg({ quality: 88 })
    .toBuffer();
  await writeFile(join(outDir, PREVIEW_FILE), preview);
  onStep?.("rig");
  const info = await builder({
    rgb: cropped.rgb,
    width: cropped.width,
    height: cropped.height,
    landmarks,
    outputWidth: OUTPUT_SIDE,
    outputHeight: OUTPUT_SIDE,
    motion,
    seed,
    outDir,
  }).catch((error: unknown) => {
    throw new AvatarError(
      "face_unusable",
      error instanceof Error ? error.message : "The face could not be rigged.",
    );
  });
  onStep?.("done");
  return info;
}

/** The decoded photograph as it is kept, so that an avatar can be built again: upright, without metadata. */
export function encodeSource(source: Picture): Promise<Buffer> {
  return openPicture(source).jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer();
}

export async function nativeBuilder(options: BuildAvatarOptions): Promise<AvatarInfo> {
  const { buildAvatar } = await import("../../native/binding/index.js");
  return buildAvatar(options);
}
