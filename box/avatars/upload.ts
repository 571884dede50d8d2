// What is handed in to make an avatar from, and what can be told of it before anything is built.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { limits } from "../../contract/limits.ts";
import type { Tone } from "../../contract/tones.ts";
import { MediaError, type Media } from "../media/media.ts";
import { AvatarError, videoFaultCodes } from "./errors.ts";
import { headOf } from "./store.ts";

/** Footage of one tone; the library moves the file. */
export interface Take {
  tone: Tone;
  filename: string;
  path: string;
}

export interface CreateAvatarRequest {
  owner: string;
  filename: string;
  /** Display name; with it a new unique id is made, without it the id comes from the filename and replaces. */
  name?: string;
  /** An id of the caller's choice: kept unless somebody else has it. */
  id?: string;
  /** The photograph or video: in memory, or a file that the library moves. */
  bytes?: Uint8Array;
  path?: string;
  /** Of that file, in hex, where it is known already. */
  sha256?: string;
  takes?: readonly Take[];
  /** Multipart text as received: comma separated. */
  tones?: string;
  /** The video was made by AI and shows nobody. */
  aiGenerated?: boolean;
  consentToken?: string;
  /** Multipart text as received; empty is bust, anything but head, bust, full is `invalid_framing`. */
  framing?: string;
  /** How much the head moves, 0..1 (0.5); text as received, or a number. */
  gestureAmplitude?: number | string;
  /** Refuses, with nothing made, where the clips could not be built: for callers who want all or nothing. */
  strict?: boolean;
}

/** The uploaded file as far as its bytes tell without being decoded. */
export interface UploadedFile {
  kind: "photo" | "video";
  /** Of a photograph: the whole file. */
  bytes: Uint8Array | null;
  path: string | null;
  size: number;
  /** Hex. */
  sha256: string;
  contentType: string;
  /** The name it is kept under. */
  stored: string;
}

const videoName = /\.(?:mp4|mov|webm|mkv)$/i;
const takeName = /\.(?:webm|mp4|mov|mkv)$/i;
/** Pictures in the box format of MP4. */
const pictureBrands = new Set(["heic", "heix", "hevc", "mif1", "msf1", "avif", "avis"]);

/** Rejects with AvatarError image_too_large or video_too_large. */
export async function readUpload({
  bytes,
  path,
  filename,
  sha256,
}: CreateAvatarRequest): Promise<UploadedFile> {
  if (!bytes && path === undefined) throw new TypeError("An avatar needs bytes or a path.");
  const head = bytes ? Buffer.from(bytes.subarray(0, 16)) : await headOf(path ?? "", 16);
  const size = bytes ? bytes.length : (await stat(path ?? "")).size;
  const type = sniff(head) ?? (videoName.test(filename) ? "video/mp4" : "image/png");
  const photo = type.startsWith("image/");
  if (photo && size > limits.imageBytes) throw imageTooLarge();
  if (!photo && size > limits.videoBytes) throw videoTooLarge();
  const content = bytes ?? (photo ? await readFile(path ?? "") : null);
  return {
    kind: photo ? "photo" : "video",
    bytes: photo ? content : (bytes ?? null),
    path: path ?? null,
    size,
    sha256: sha256 ?? (content ? digest(content) : await digestOfFile(path ?? "")),
    contentType: type,
    stored: `original${extension(type)}`,
  };
}

export const imageTooLarge = () =>
  new AvatarError("image_too_large", `A photograph may have at most ${limits.imageBytes / 1024 / 1024} MB.`);

export const videoTooLarge = () =>
  new AvatarError("video_too_large", `A video may have at most ${limits.videoBytes / 1024 / 1024} MB.`);

function sniff(head: Buffer): string | null {
  if (head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return "image/jpeg";
  if (head.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return "image/png";
  if (head.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))) return "video/webm";
  if (head.toString("latin1", 4, 8) !== "ftyp") return null;
  const brand = head.toString("latin1", 8, 12);
  if (pictureBrands.has(brand)) return "image/heic";
  return brand === "qt  " ? "video/quicktime" : "video/mp4";
}

function extension(type: string): string {
  const known: Record<string, string> = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "video/webm": ".webm",
    "video/quicktime": ".mov",
    "video/mp4": ".mp4",
  };
  return known[type] ?? "";
}

/** SHA-256, hex. */
export function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Takes by tone, and those that no build would find by their names. */
export function sortTakes(takes: readonly Take[]): { byTone: Map<Tone, Take[]>; unusable: Take[] } {
  const byTone = new Map<Tone, Take[]>();
  const unusable: Take[] = [];
  for (const take of takes) {
    if (takeName.test(take.filename)) byTone.set(take.tone, [...(byTone.get(take.tone) ?? []), take]);
    else unusable.push(take);
  }
  return { byTone, unusable };
}

/** The name that a take is kept under. */
export function storedTake(tone: Tone, index: number, filename: string): string {
  return `take__${tone}__${index}${extname(filename).toLowerCase()}`;
}

/** What a video says of itself must hold before it is queued; whether a face is in it shows later. Rejects with AvatarError. */
export async function checkVideo(media: Media, path: string, what: string): Promise<void> {
  const seconds = limits.videoSeconds;
  const facts = await media.facts(path).catch((error: unknown) => {
    if (!(error instanceof MediaError)) throw error;
    throw new AvatarError(videoFaultCodes[error.fault], `${what}: ${error.message}`, { cause: error });
  });
  const { video, durationSeconds: duration } = facts;
  if (!video) throw new AvatarError("video_unsupported", `${what} has no moving picture in it.`);
  if (Math.max(video.width, video.height) > limits.videoSide) {
    throw new AvatarError("video_too_large", `${what} may have at most ${limits.videoSide} pixels a side.`);
  }
  if (duration === null) return;
  if (duration < seconds.min)
    throw new AvatarError("video_too_short", `${what} needs at least ${seconds.min} seconds.`);
  if (duration > seconds.max)
    throw new AvatarError("video_too_long", `${what} may have at most ${seconds.max} seconds.`);
}

/** Reads the multipart text. Throws AvatarError invalid_body. */
export function parseAmplitude(given: number | string | undefined): number {
  if (given === undefined || (typeof given === "string" && given.trim() === "")) return 0.5;
  const value = Number(given);
  if (Number.isFinite(value) && value >= 0 && value <= 1) return value;
  throw new AvatarError("invalid_body", "gesture_amplitude must be a number from 0 to 1.");
}
