// From a video of a face to an avatar that keeps the video's own motion.

import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AvatarInfo, BuildFootageOptions } from "../../native/binding/index.d.ts";
import type { BuildStep, Framing } from "../../contract/avatars.ts";
import { limits } from "../../contract/limits.ts";
import { MediaError, type FileFacts, type Media } from "../media/media.ts";
import { AvatarError, videoFaultCodes } from "./errors.ts";
import type { FaceGeometry, Landmarks } from "./face-mesh.ts";
import { checkTurns, completeTrack, smoothTrack } from "./face-track.ts";
import {
  checkSamples,
  cropOf,
  framesOf,
  readFrames,
  sampleOf,
  SAMPLES_A_SECOND,
  sampleSize,
  type Sample,
} from "./footage-samples.ts";
import { cropPicture, type Crop } from "./framing.ts";
import type { FaceFinder } from "./landmarks.ts";
import type { Picture } from "../media/picture.ts";
import { openPicture } from "./photo.ts";
import { OUTPUT_SIDE, PREVIEW_FILE } from "./prepare.ts";
import { chooseStill, sharpness, type Candidate } from "./still-choice.ts";

/** Footage that passed every check: one face, long enough, in a format we read. */
export interface CheckedFootage {
  /** The take that was chosen of those of one tone: the longest, since every cut between takes would be seen. */
  paths: readonly string[];
  /** The frame that stands for it: seen from the front, mouth shut, eyes open. */
  still: Picture;
  /** The square to show, in pixels of `still`. */
  crop: Crop;
  durationSeconds: number;
}

/** The native builder of an avatar from footage. */
export type FootageBuilder = (options: BuildFootageOptions) => Promise<AvatarInfo>;

const FPS = 25;
/** Shorter side. */
const MIN_VIDEO_SIDE = 128;

/** Throws AvatarError with a sentence for whoever sent it: `video_*`, and what is wrong with the face as for a photograph. */
export async function checkFootage({
  paths,
  framing,
  finder,
  media,
  onStep,
  signal,
}: {
  paths: readonly string[];
  framing: Framing;
  finder: FaceFinder;
  media: Media;
  onStep?(step: BuildStep): void;
  signal?: AbortSignal;
}): Promise<CheckedFootage> {
  onStep?.("decode");
  const takes: Take[] = [];
  let refusal: AvatarError | undefined;
  for (const path of paths) {
    try {
      takes.push(await openTake(path, { media, signal }));
    } catch (error) {
      if (!(error instanceof AvatarError)) throw error;
      refusal ??= error;
    }
  }
  onStep?.("landmarks");
  // Of equally long takes the first: sorting keeps their order.
  for (const take of takes.toSorted((a, b) => b.seconds - a.seconds)) {
    try {
      return await checkTake(take, { framing, finder, media, signal });
    } catch (error) {
      if (!(error instanceof AvatarError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new AvatarError("video_unreadable", "There is no video.");
}

interface Take {
  path: string;
  video: NonNullable<FileFacts["video"]>;
  /** As far as the file says; at most what is kept. */
  seconds: number;
}

interface Work {
  media: Media;
  signal: AbortSignal | undefined;
}

async function openTake(path: string, { media, signal }: Work): Promise<Take> {
  const { size } = await stat(path);
  if (size > limits.videoBytes) {
    throw new AvatarError(
      "video_too_large",
      `A video may have at most ${limits.videoBytes / 1024 / 1024} MB.`,
    );
  }
  const { container, video, durationSeconds } = await asVideo(media.facts(path, signal));
  if (!/^(mov|matroska)\b/.test(container)) {
    throw new AvatarError("video_unsupported", "The file is not an MP4, MOV or WEBM video.");
  }
  if (!video) throw new AvatarError("video_unsupported", "The file has no picture, only sound.");
  if (Math.max(video.width, video.height) > limits.videoSide) {
    throw new AvatarError(
      "video_too_large",
      `The video has ${video.width} × ${video.height} pixels; at most ${limits.videoSide} a side are taken.`,
    );
  }
  if (Math.min(video.width, video.height) < MIN_VIDEO_SIDE) {
    throw new AvatarError(
      "video_too_small",
      `The video needs at least ${MIN_VIDEO_SIDE} pixels on its shorter side.`,
    );
  }
  const { min, max, kept } = limits.videoSeconds;
  if (durationSeconds !== null && durationSeconds > max) {
    throw new AvatarError(
      "video_too_long",
      `The video is ${Math.round(durationSeconds)} seconds long; at most ${max} are taken.`,
    );
  }
  // What a browser records does not say how long it is; looking through it tells.
  if (durationSeconds !== null && durationSeconds < min) throw tooShort(durationSeconds);
  return { path, video, seconds: Math.min(durationSeconds ?? kept, kept) };
}

function tooShort(seconds: number): AvatarError {
  return new AvatarError(
    "video_too_short",
    `The video is ${seconds.toFixed(1)} seconds long and needs at least ${limits.videoSeconds.min}.`,
  );
}

async function checkTake(
  { path, video, seconds }: Take,
  { framing, finder, media, signal }: Work & { framing: Framing; finder: FaceFinder },
): Promise<CheckedFootage> {
  const samples: Sample[] = [];
  const looked = framesOf(media, {
    path,
    fromSeconds: 0,
    seconds,
    fps: SAMPLES_A_SECOND,
    ...sampleSize(video),
    ...(signal ? { signal } : {}),
  });
  for await (const picture of asVideoFrames(looked)) {
    signal?.throwIfAborted();
    samples.push(await sampleOf(picture, { finder, video }));
  }
  const durationSeconds = Math.min(seconds, samples.length / SAMPLES_A_SECOND);
  // A frame stands for the moment around it: the last one may be half its time short.
  if (durationSeconds + 0.5 / SAMPLES_A_SECOND < limits.videoSeconds.min) throw tooShort(durationSeconds);
  checkSamples(samples);
  const chosen = chooseStill(samples.map(({ candidate }) => candidate));
  if (chosen < 0) throw new AvatarError("no_face", "The face is never seen whole in the video.");
  const still = await frameAt(path, { video, seconds: chosen / SAMPLES_A_SECOND, media, signal });
  await finder.findFace(still);
  const crop = cropOf(samples, { video: still, framing });
  return { paths: [path], still, crop, durationSeconds };
}

/** One frame at full size; odd sides lose a row. */
async function frameAt(
  path: string,
  { video, seconds, media, signal }: Work & { video: { width: number; height: number }; seconds: number },
): Promise<Picture> {
  const width = video.width - (video.width % 2);
  const height = video.height - (video.height % 2);
  const frames = framesOf(media, {
    path,
    fromSeconds: seconds,
    seconds: 1 / FPS,
    fps: FPS,
    region: { left: 0, top: 0, width, height },
    width,
    height,
    ...(signal ? { signal } : {}),
  });
  for await (const picture of asVideoFrames(frames)) return picture;
  throw new AvatarError("video_unreadable", "The video is damaged and could not be decoded.");
}

/** Writes preview.jpg, rig.vvr and loop.i420 into a new folder. Throws AvatarError face_unusable. */
export async function buildFootage({
  footage,
  outDir,
  finder,
  media,
  onStep,
  signal,
  builder = nativeFootageBuilder,
}: {
  footage: CheckedFootage;
  outDir: string;
  finder: FaceFinder;
  media: Media;
  onStep?(step: BuildStep): void;
  signal?: AbortSignal;
  /** The native builder unless told otherwise. */
  builder?: FootageBuilder;
}): Promise<AvatarInfo> {
  const { paths, still, crop, durationSeconds } = footage;
  await mkdir(outDir, { recursive: true });
  const size = { width: OUTPUT_SIDE, height: OUTPUT_SIDE };
  const framesPath = join(outDir, "frames.i420.part");
  try {
    onStep?.("decode");
    const frames = await asVideo(
      media.footage({
        path: paths[0] ?? "",
        fromSeconds: 0,
        seconds: durationSeconds,
        fps: FPS,
        region: { left: crop.left, top: crop.top, width: crop.side, height: crop.side },
        ...size,
        outPath: framesPath,
        ...(signal ? { signal } : {}),
      }),
    );
    onStep?.("landmarks");
    const { track, candidates } = await follow(readFrames(framesPath, { count: frames, ...size }), {
      finder,
      signal,
    });
    const complete = completeTrack(track, FPS);
    checkTurns(complete, FPS);
    onStep?.("preview");
    const square = await cropPicture({ picture: still, crop, outputSide: OUTPUT_SIDE });
    const preview = await openPicture(square)
      .resize(OUTPUT_SIDE, OUTPUT_SIDE)
      .jpeg({ quality: 88 })
      .toBuffer();
    await writeFile(join(outDir, PREVIEW_FILE), preview);
    onStep?.("rig");
    signal?.throwIfAborted();
    const info = await builder({
      framesPath,
      frames,
      ...size,
      fps: FPS,
      landmarks: smoothTrack(complete),
      still: chooseStill(candidates),
      outDir,
    }).catch((error: unknown) => {
      // Anything else than a plain Error is a defect of ours and no fault of the face.
      if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
      throw new AvatarError("face_unusable", error.message);
    });
    signal?.throwIfAborted();
    onStep?.("done");
    return info;
  } finally {
    await rm(framesPath, { force: true });
  }
}

/** The face in every frame, null where it is not found. */
async function follow(
  frames: AsyncIterable<Picture>,
  { finder, signal }: { finder: FaceFinder; signal: AbortSignal | undefined },
): Promise<{ track: (Landmarks | null)[]; candidates: (Candidate | null)[] }> {
  const track: (Landmarks | null)[] = [];
  const candidates: (Candidate | null)[] = [];
  let before: FaceGeometry | null = null;
  for await (const picture of frames) {
    signal?.throwIfAborted();
    const face = await finder.trackFace(picture, before);
    track.push(face?.landmarks ?? null);
    candidates.push(face && { face, sharpness: sharpness(picture, face) });
    before = face?.geometry ?? null;
  }
  return { track, candidates };
}

async function nativeFootageBuilder(options: BuildFootageOptions): Promise<AvatarInfo> {
  const native = await import("../../native/binding/index.js");
  return native.buildFootage(options);
}

/** What a file's fault is called of a video. */
async function asVideo<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof MediaError ? new AvatarError(videoFaultCodes[error.fault], error.message) : error;
  }
}

async function* asVideoFrames(frames: AsyncGenerator<Picture>): AsyncGenerator<Picture> {
  try {
    for (;;) {
      const next = await asVideo(frames.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await frames.return(undefined);
  }
}
