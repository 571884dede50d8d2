// How FFmpeg is told to open a stranger's file, and what its end means.

import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import type { Demuxer } from "./container.ts";
import { MediaError } from "./media.ts";
import type { RunResult } from "./run.ts";

/** What phones, browsers and editors write. Decoders that nobody needs open nothing. */
export const videoDecoders = [
  "h264",
  "hevc",
  "vp8",
  "libvpx",
  "vp9",
  "libvpx-vp9",
  "av1",
  "libdav1d",
  "mpeg4",
  "prores",
] as const;
const soundDecoders = ["aac", "mp3", "mp3float", "opus", "libopus", "vorbis", "flac", "alac"];
const pcmDecoders = "s16le s16be s24le s24be s32le s32be f32le f32be f64le f64be u8 s8 mulaw alaw"
  .split(" ")
  .map((name) => `pcm_${name}`);
/** Of covers, titles and further tracks: ffprobe opens a decoder for each, and fails if it may not. */
const idleDecoders = ["mjpeg", "png", "mov_text", "ac3", "eac3", "amrnb", "amrwb"];
export const codecsRead = new Set<string>([...videoDecoders, ...soundDecoders, ...pcmDecoders]);
const decoders = [...codecsRead, ...idleDecoders];

/** Codecs round sides up. */
const MOST_PIXELS = (limits.videoSide + 64) ** 2;

/** Arguments that stand before the input of ffmpeg, and before or behind that of ffprobe. */
export function inputOptions(demuxer: Demuxer, threads: number): string[] {
  return [
    "-protocol_whitelist",
    "file",
    "-format_whitelist",
    "mov,matroska,webm,wav,mp3,ogg,flac",
    "-codec_whitelist",
    decoders.join(","),
    "-f",
    demuxer,
    "-probesize",
    "5000000",
    "-analyzeduration",
    "5000000",
    "-max_pixels",
    String(MOST_PIXELS),
    "-threads",
    String(threads),
  ];
}

/** A path that is a path, whatever it looks like. */
export const inputPath = (path: string) => `file:${path}`;

/** Signals a program earns by what it does: a decoder that trips over its file. */
const crashes = new Set<NodeJS.Signals | null>([
  "SIGSEGV",
  "SIGBUS",
  "SIGILL",
  "SIGFPE",
  "SIGABRT",
  "SIGSYS",
  "SIGTRAP",
  "SIGXFSZ",
]);

/**
 * Throws what an end other than a good one means: MediaError where the file is at fault, Refusal storage_full, or Error where
 * the program is.
 */
export function judge({ end, code, killedBy, complaints }: RunResult, what: "sound" | "video"): void {
  if (end === "exit" && code === 0) return;
  if (/No space left on device/i.test(complaints)) throw storageFull();
  if (end === "timeout" || killedBy === "SIGXCPU") throw tooSlow(what);
  if (end === "overflow" || /File too large/i.test(complaints)) {
    throw new MediaError("too_large", `The ${what} decodes to more than it says.`);
  }
  if (/Cannot allocate memory/i.test(complaints)) {
    throw new MediaError("too_large", `The ${what} needs more memory to decode than it may have.`);
  }
  if (/exceeds specified max pixel count/i.test(complaints)) {
    throw new MediaError("too_large", "The video has more pixels than may be decoded.");
  }
  if (/not on whitelist/i.test(complaints)) {
    throw new MediaError("unsupported", "The file is encoded in a way that is not read here.");
  }
  if (/matches no streams/i.test(complaints)) {
    throw new MediaError(
      "unsupported",
      what === "sound" ? "The file has no sound." : "The file has no picture.",
    );
  }
  // 126 and 127 come from what starts it.
  if (end === "exit" && (code === 126 || code === 127)) {
    throw new Error("A media program could not be started.");
  }
  // Out of memory, or told to go: that says nothing about the file.
  if (end === "signal" && !crashes.has(killedBy))
    throw new Error(`A media program was ended by ${killedBy}.`);
  throw new MediaError("unreadable", `The ${what} is damaged and could not be decoded.`);
}

export function tooSlow(what: "sound" | "video" | "file"): MediaError {
  return new MediaError("too_slow", `The ${what} takes too long to decode.`);
}

export function storageFull(): Refusal {
  return new Refusal("storage_full", "The disk of the box is full; nothing was kept.");
}

/** Arguments as one would type them; none of them holds a space. */
export const words = (line: string) => line.split(" ");
